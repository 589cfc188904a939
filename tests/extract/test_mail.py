"""A mail is its subject, every text part, and every attachment by what it is."""

from email.message import EmailMessage

from pmbf.extract import Limits, extract
from tests.extract import builders as make


def message(subject="Subject"):
    made = EmailMessage()
    made["Subject"], made["From"], made["Message-ID"] = subject, "a@example.org", "<1@example.org>"
    made.set_content("body\n")
    return made


def test_subject_plain_part_html_part_and_attachments_are_read():
    mail = message("Über das Meer")
    mail.add_alternative("<p>as <b>html</b></p>", subtype="html")
    mail.add_attachment("Прочь".encode("koi8-r") * 9, maintype="text", subtype="plain", params={"charset": "koi8-r"})
    mail.add_attachment(
        make.docx(make.paragraph("office")), maintype="application", subtype="octet-stream", filename="a.bin"
    )
    found = extract(mail.as_bytes(), "a.eml")
    assert found.problems == ()
    assert found.text.split() == ["Über", "das", "Meer", "body", "as", "html", "Прочь" * 9, "office"]


def test_attached_messages_are_read_with_their_subjects():
    inner = message("inner")
    outer = message("outer")
    outer.add_attachment(inner)
    assert extract(outer.as_bytes(), "a.eml").text.split() == ["outer", "body", "inner", "body"]


def test_a_leak_in_base64_is_found_whatever_the_part_calls_itself():
    mail = message()
    mail.add_attachment(b"the secret text", maintype="image", subtype="png", filename="holiday.png")
    mail.add_attachment(b"the other secret", maintype="application", subtype="pkcs7-signature")
    assert [word for word in extract(mail.as_bytes(), "a.eml").text.split() if word == "secret"] == ["secret", "secret"]


def test_an_unknown_archive_is_reported_and_a_picture_is_not():
    mail = message()
    mail.add_attachment(b"7z\xbc\xaf\x27\x1c" + bytes(9), maintype="application", subtype="zip", filename="x.zip")
    mail.add_attachment(b"\x89PNG\r\n\x1a\n" + bytes(50), maintype="image", subtype="png", filename="x.png")
    assert extract(mail.as_bytes(), "a.eml").problems == ("x.zip: skipped: an archive",)


def test_a_problem_inside_an_attachment_says_where_it_is():
    inner = message()
    inner.add_attachment(b"Rar!\x1a\x07" + bytes(18), maintype="application", subtype="zip", filename="x.zip")
    outer = message()
    outer.add_attachment(inner)
    assert extract(outer.as_bytes(), "a.eml").problems == ("attached message: x.zip: skipped: an archive",)


def test_broken_base64_and_a_missing_end_are_reported():
    raw = b"MIME-Version: 1.0\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\naGVsbG8gd29ybGQ!!!!\n"
    assert extract(raw, "a.eml").problems
    cut = b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nfirst\n"
    found = extract(cut, "a.eml")
    assert "first" in found.text
    assert found.problems == ("a malformed part: close boundary not found",)


def test_text_before_and_after_the_parts_is_read_too():
    raw = b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\nbefore\n--b\n\npart\n--b--\nafter\n"
    assert extract(raw, "a.eml").text.split() == ["before", "part", "after"]


def test_an_mbox_is_all_its_messages():
    raw = b"".join(b"From a@b Mon\n" + message(f"subject{n}").as_bytes() + b"\n" for n in range(3))
    assert extract(raw, "a.mbox").text.split() == ["subject0", "body", "subject1", "body", "subject2", "body"]


def test_messages_nested_deeper_than_the_limit_are_reported():
    mail = message("deepest")
    for _ in range(100):
        outer = message("outer")
        outer.add_attachment(mail)
        mail = outer
    found = extract(mail.as_bytes(), "a.eml")
    assert "deepest" not in found.text
    assert any("more than 5 documents inside each other" in problem for problem in found.problems)
    assert 1 < len(extract(mail.as_bytes(), "a.eml", Limits(max_depth=2)).text.split("outer")) <= 4
