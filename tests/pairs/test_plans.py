"""Both plans give the pairs of a brute force, whatever the holders, blocks and turns."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf import IncompleteError, ParameterError, kernels
from pmbf.alike.pairs import by_features, by_texts
from pmbf.alike.pairs.by_features import raw_bytes
from pmbf.alike.pairs.linking import joined
from pmbf.alike.pairs.plans import Joining, consecutive
from pmbf.alike.pairs.work import Work, work_folder
from pmbf.jobs.executor import Inline, Local, ShardFailed
from pmbf.kernels import Lists

FEW = st.lists(st.sets(st.integers(0, 2**32 - 1) | st.integers(0, 30).map(lambda n: n << 27), max_size=12), max_size=14)


def lists_of(sets):
    return Lists.of([np.array(sorted(one), np.uint32) for one in sets])


def brute_force(sets, threshold):
    return [
        (i, j, len(a & b))
        for (i, a), (j, b) in combinations(enumerate(sets), 2)
        if a and b and len(a & b) / len(a | b) >= threshold
    ]


def found(lists, how, work=None):
    made = joined(lists, how, work)
    return list(zip(made.first.tolist(), made.second.tolist(), made.shared.tolist(), strict=True))


def inline(jobs):
    return Inline()


@settings(max_examples=150, deadline=None)
@given(FEW, st.sampled_from([0.01, 0.25, 1 / 3, 0.5, 2 / 3, 1.0]), st.sampled_from([1, 3, 7]), st.integers(1, 40))
def test_both_plans_give_the_pairs_of_a_brute_force(sets, threshold, jobs, few):
    lists, expected = lists_of(sets), brute_force(sets, threshold)
    with pytest.MonkeyPatch.context() as patch:
        for plan in (by_texts, by_features):
            patch.setattr(plan, "HELD_FEATURES", few)  # so that there are several turns
            patch.setattr(plan, "PROBING_FEATURES", few)
        for plan in ("doc", "term"):
            assert expected == found(lists, Joining(threshold, plan, jobs, executor=inline)), plan
        with work_folder(None) as work:
            made = by_texts.by_texts(lists, Joining(threshold, "doc", jobs, executor=inline), work)
        assert expected == list(zip(made.first.tolist(), made.second.tolist(), made.shared.tolist(), strict=True))


@pytest.mark.parametrize("few", [1 << 20, 300])
def test_both_plans_give_the_same_pairs_in_processes(tmp_path, monkeypatch, few):
    monkeypatch.setattr(by_texts, "HELD_FEATURES", few)
    monkeypatch.setattr(by_texts, "PROBING_FEATURES", few)
    drawn = np.random.default_rng(7)
    sets = [set(drawn.integers(0, 60, 12).tolist()) for _ in range(80)]
    for plan in ("doc", "term"):
        with work_folder(tmp_path / plan) as work:
            assert brute_force(sets, 0.4) == found(lists_of(sets), Joining(0.4, plan, jobs=2), work) != []


@pytest.mark.parametrize("jobs", [1, 3, 7])
def test_each_text_is_looked_up_once_and_inverted_once_whatever_the_holders(tmp_path, monkeypatch, jobs):
    drawn = np.random.default_rng(11)
    sets = [set(drawn.integers(0, 60, 12).tolist()) for _ in range(80)]
    probing, inverted = counted(monkeypatch)
    monkeypatch.setattr(by_texts, "PROBING_FEATURES", 200)
    with work_folder(tmp_path / "work") as work:
        assert brute_force(sets, 0.4) == found(lists_of(sets), Joining(0.4, "doc", jobs, executor=inline), work) != []
    assert (80, [80]) == (sum(probing), inverted)
    assert max(probing) - min(probing) <= 80 // 10 and len(probing) % jobs == 0


def test_texts_behind_a_block_of_the_index_do_not_probe_it(tmp_path, monkeypatch):
    sets = [set(range(number, number + 10)) for number in range(80)]
    probing, inverted = counted(monkeypatch)
    monkeypatch.setattr(by_texts, "HELD_FEATURES", 200)
    monkeypatch.setattr(by_texts, "PROBING_FEATURES", 200)
    with work_folder(tmp_path / "work") as work:
        assert brute_force(sets, 0.4) == found(lists_of(sets), Joining(0.4, "doc", 2, executor=inline), work) != []
    assert ([20] * 4, 20 + 40 + 60 + 80) == (inverted, sum(probing))


def counted(monkeypatch):
    """Return two lists: of each call, how many texts were looked up, and how many were inverted."""
    probing, inverted, look_up, invert = [], [], kernels.shared_counts, kernels.invert
    monkeypatch.setattr(
        kernels, "shared_counts", lambda index, lists, **how: noting(probing, lists, look_up, index, lists, **how)
    )
    monkeypatch.setattr(kernels, "invert", lambda lists, *numbers: noting(inverted, lists, invert, lists, *numbers))
    return probing, inverted


def noting(sizes, lists, function, *arguments, **how):
    sizes.append(len(lists))
    return function(*arguments, **how)


def test_mapped_files_leave_the_work_folder_also_those_of_a_killed_run(tmp_path):
    sets = [{1, 2, 3, 4}, {1, 2, 3}, {1, 2}, {3, 4}]
    with work_folder(tmp_path / "work") as work:
        for _ in range(2):
            (work.folder / "mapped").mkdir()
            (work.folder / "mapped" / "lists-offsets.npy").write_bytes(b"torn")
            assert brute_force(sets, 0.5) == found(lists_of(sets), Joining(0.5, "doc"), work)
            assert not (work.folder / "mapped").exists()


@pytest.mark.parametrize("plan", ["doc", "term"])
@pytest.mark.parametrize("sets", [[], [set()], [set(), set()], [{1}], [{1}, set()]])
def test_a_set_without_two_texts_with_features_has_no_pairs(plan, sets):
    assert [] == found(lists_of(sets), Joining(0.1, plan))


def test_the_volume_is_known_beforehand():
    sets = [{1, 2, 3}, {1, 2}, {1, 9}, {1}]
    pairs = sum(len(a & b) for a, b in combinations(sets, 2))
    assert 12 * pairs == raw_bytes(lists_of(sets)) == joined(lists_of(sets), Joining(0.1, "term")).volume.raw


def test_a_volume_above_the_bound_is_refused_with_the_way_out():
    lists = lists_of([{1, 2, 3}] * 30)
    with pytest.raises(ParameterError, match=r"15,660 bytes of .* at most 15,659; .*or take the plan 'doc'"):
        joined(lists, Joining(0.5, "term", max_volume=12 * 3 * 435 - 1))
    assert 435 == len(joined(lists, Joining(0.5, "term", max_volume=12 * 3 * 435)).first)


def test_partial_counts_go_to_the_work_folder_and_leave_it(tmp_path, monkeypatch):
    monkeypatch.setattr(by_features, "BLOCK_BYTES", 2000)
    drawn = np.random.default_rng(3)
    sets = [set((drawn.integers(0, 50, 20) << 26).tolist()) for _ in range(60)]
    written = []
    monkeypatch.setattr(Work, "write", noted(written, Work.write))
    with work_folder(tmp_path / "work") as work:
        made = joined(lists_of(sets), Joining(0.3, "term", jobs=3, executor=inline), work)
        left = sorted(path.name for path in work.folder.glob("*.block"))
    partial = [name for name in written if not name.startswith("term-pairs")]
    assert len(partial) == 3 * len(left) > 3
    assert all(name.startswith("term-pairs") for name in left)
    assert 0 < made.volume.summed < made.volume.raw


def test_partial_counts_that_a_killed_run_left_are_removed(tmp_path, monkeypatch):
    lists = lists_of([{1, 2, 3}, {1, 2}, {1, 9}, {1}])
    with work_folder(tmp_path / "work") as work:
        with monkeypatch.context() as patch:
            patch.setattr(Work, "remove", lambda self, name: None)
            found(lists, Joining(0.1, "term"), work)
        assert 2 == len(list(work.folder.glob("*.block")))
        found(lists, Joining(0.1, "term"), work)
        assert 1 == len(list(work.folder.glob("*.block")))


def noted(names, write):
    def noting(self, name, run, arrays):
        names.append(name)
        write(self, name, run, arrays)

    return noting


class Dying(Inline):
    """An executor whose holders fail at a call."""

    def __init__(self, n_calls):
        super().__init__()
        self.left = n_calls

    def call(self, method, arguments, timeout_s=None):
        self.left -= 1
        return super().call(method, arguments) if self.left >= 0 else {0: ShardFailed(0, "it was killed")}


@pytest.mark.parametrize("plan", ["doc", "term"])
@pytest.mark.parametrize("n_calls", [0, 1, 3])
def test_a_run_that_lost_a_holder_is_continued_from_its_finished_blocks(tmp_path, monkeypatch, plan, n_calls):
    monkeypatch.setattr(by_texts, "PROBING_FEATURES", 150)
    monkeypatch.setattr(by_features, "PROBING_FEATURES", 150)
    drawn = np.random.default_rng(5)
    sets = [set(drawn.integers(0, 60, 14).tolist()) for _ in range(70)]
    lists, calls = lists_of(sets), []
    with work_folder(tmp_path / "work") as work:
        with pytest.raises(IncompleteError, match="it was killed"):
            found(lists, Joining(0.3, plan, executor=lambda jobs: Dying(n_calls)), work)

        class Counting(Inline):
            def call(self, method, arguments, timeout_s=None):
                calls.append(method)
                return super().call(method, arguments)

        assert brute_force(sets, 0.3) == found(lists, Joining(0.3, plan, executor=lambda jobs: Counting()), work)
        n_blocks = len(consecutive(lists, len(lists.features) // 150 + 1))
        assert n_blocks - n_calls == len(calls)
        calls.clear()
        assert brute_force(sets, 0.3) == found(lists, Joining(0.3, plan, executor=lambda jobs: Counting()), work)
        assert [] == calls


@pytest.mark.parametrize("plan", ["doc", "term"])
def test_blocks_of_another_run_do_not_count(tmp_path, plan):
    sets = [{1, 2, 3, 4}, {1, 2, 3}, {1, 2}, {3, 4}]
    with work_folder(tmp_path / "work") as work:
        for threshold in (0.5, 0.75, 0.5):
            assert brute_force(sets, threshold) == found(lists_of(sets), Joining(threshold, plan), work)
        assert brute_force(sets[:3], 0.5) == found(lists_of(sets[:3]), Joining(0.5, plan), work)


@pytest.mark.parametrize("plan", ["doc", "term"])
def test_a_damaged_block_is_made_again(tmp_path, plan):
    sets = [{1, 2, 3, 4}, {1, 2, 3}, {1, 2}, {3, 4}]
    with work_folder(tmp_path / "work") as work:
        found(lists_of(sets), Joining(0.5, plan), work)
        for path in work.folder.glob("*.block"):
            content = bytearray(path.read_bytes())
            content[-1] ^= 1
            path.write_bytes(content)
        assert brute_force(sets, 0.5) == found(lists_of(sets), Joining(0.5, plan), work)


def test_a_dead_process_is_told_and_its_run_can_go_on(tmp_path):
    sets = [{1, 2, 3, 4}, {1, 2, 3}, {1, 2}, {3, 4}]

    class Killed(Local):
        def call(self, method, arguments, timeout_s=None):
            for process in self._processes:
                for child in process._all:
                    child.kill()
            return super().call(method, arguments)

    with work_folder(tmp_path / "work") as work:
        with pytest.raises(IncompleteError, match="SIGKILL"):
            found(lists_of(sets), Joining(0.5, "doc", 2, executor=lambda jobs: Killed()), work)
        assert brute_force(sets, 0.5) == found(lists_of(sets), Joining(0.5, "doc", 2), work)


@pytest.mark.parametrize("wrong", [{"threshold": 0}, {"threshold": 1.1}, {"plan": "both"}, {"jobs": 0}])
def test_values_outside_their_range_are_refused(wrong):
    with pytest.raises(ParameterError, match="expected"):
        Joining(**wrong)


def test_a_folder_with_other_files_is_no_work_folder(tmp_path):
    (tmp_path / "essay.txt").write_text("sea")
    with pytest.raises(ParameterError, match="other files"), work_folder(tmp_path):
        pass
    assert ["essay.txt"] == [path.name for path in tmp_path.iterdir()]
