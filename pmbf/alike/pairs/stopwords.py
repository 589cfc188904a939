"""Short lists of stop words: words that every text of a language has many of, and that say nothing of its topic.

Spot signatures begin at them. The lists were written for this project; they need not be complete. Written as `fold`
leaves them or not: a list is folded and cut into tokens as any text is.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.text import tokenise

STOP_WORDS = {
    "en": "the a an of to and in is that it for on was with as be by this are or at from not have had has his her he "
    "she they you we i but which will would can could if their there all been one were who what when do does did so no "
    "more about into than its may any some these those such other only out up then them him our your my me us how "
    "where why because before after over under between through during most each both same very just also should must "
    "shall",
    "de": "der die das und in zu den von mit ist des sich im dem nicht ein eine als auch es an werden aus er hat dass "
    "sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr "
    "durch man sein wurde sei hatte kann gegen vom können schon wenn habe seine ihre dann unter wir soll ich eines "
    "diese dieser dieses wieder keine ihr ihm ihn was auf für",
    "fr": "le la les de du des et à en un une est que qui dans pour sur au aux par pas ne se ce il elle ils elles on "
    "nous vous je son sa ses leur leurs plus avec sont mais ou où été être avoir ont comme tout cette ces cet si sans "
    "même aussi bien peut fait deux entre après avant sous donc dont y lui était avait très d l s n qu c j m",
    "es": "el la los las de del y en un una unos unas es que a al se por con para no su sus lo como más o pero le ha "
    "me si sin sobre este esta estos estas ya entre cuando todo todos muy ser son fue era también hasta desde nos "
    "porque qué donde quien durante él ella ellos yo tú mi te está han había hay otro otra e u ni contra",
    "it": "il lo la i gli le di del della dei delle dello degli e è in un una uno che a al alla alle ai per con non si "
    "da dal dalla nel nella nei su sul sulla come più ma anche se o ha sono era essere questo questa questi queste "
    "suo sua suoi loro ci lui lei io tu noi voi mi ti tra fra dopo prima quando dove chi cui stato hanno l d un all "
    "dell nell",
    "pt": "o a os as de do da dos das e em no na nos nas um uma é que para por com não se ao à aos mais como mas foi "
    "seu sua seus suas ou ser quando muito há já está eu também só pelo pela até isso ela ele entre era depois sem "
    "mesmo quem me esse eles estão você tem num nem este esta são foram essa sobre",
    "nl": "de het een en van in is dat op te die voor met zijn niet aan er om ook als dan maar bij door uit naar nog "
    "wel geen of hij zij ze we wij ik je u hun haar hem dit deze was worden wordt werd heeft hebben had kan kunnen "
    "zal zou meer over tot tegen onder na al wat wie waar zo omdat",
    "sv": "och i att det som en på är av för med den till inte om har de ett var jag från så men vi kan när man sig "
    "han hon hade vid ut eller mot över under efter där sin detta här bara också mer nu alla skulle mycket dem då "
    "vara blev varit utan än kommer",
    "da": "og i at det er en på til af som for den med de ikke har om et var jeg fra så men vi kan når man sig han "
    "hun havde ved ud eller mod over under efter der sin dette her bare også mere nå nu alle skulle meget dem da være "
    "blev været uten uden enn end kommer å av opp op ikkje ble bli",
    "pl": "i w na z do się nie że to jest o jak za po od dla przez tak co ale czy jego jej ich ma tym są był była było "
    "być który która które oraz przy lub już także może tego ten ta te go mu ja ty my wy on ona oni a u ze we pod nad "
    "tylko jednak bardzo gdy aby",
    "cs": "a v na se že je s z do to o i k za po pro ve jako by ale od jsou si byl byla bylo být který která které při "
    "nebo jeho její jejich také jen tak už až podle ne jsem co ze však tím tento tato toto pak než když ho mu ji on "
    "ona my vy má mezi před pod nad bez",
    "ru": "и в не на я что он с как это по но они к у ты из мы за вы так же от все она для о его был было была были бы "
    "только ее мне если или до когда уже при ни их со ли быть нет есть под чтобы где этот эта эти того тоже которые "
    "который которая через после без меня вот даже ему себя",
    "uk": "і в у не на що з я та до це як він за по від але для про його є був була було були вони так бути якщо чи "
    "або й із ми ви ти вона те того при також під щоб який яка які де коли ще вже їх її йому без після через лише "
    "тільки зі над між цей ця ці мене себе",
    "ro": "de și în a la cu pe nu că este o un să care din se mai pentru au fost ca sunt dar sau prin între după până "
    "lui ei lor el ea noi voi eu tu îi îl le al ai ale unei unui fi era ce cum când unde dacă doar foarte fără sub "
    "peste acest această aceste acestor",
    "hu": "a az és hogy nem is egy ez azt de ha meg mint csak volt már van ezt el vagy kell még mert amely ami aki "
    "minden lehet majd után szerint között pedig sem itt ott így úgy nagyon több ennek annak akkor én te ő mi ti ők "
    "lesz lett voltak által alatt",
    "el": "και το να του η της με που την από για τα είναι των σε ο οι στο θα τη στην τον τους δεν τις ένα μια ότι "
    "στη αυτό ή στα αλλά έχει ήταν αν κατά μας μου σας σου ως πιο μετά όταν όπως μόνο αυτή αυτά δύο στις στους κάθε",
    "tr": "ve bir bu da de için ile çok ne o en gibi daha olarak ama ki kadar olan mi var her sonra değil ya veya "
    "ise diye göre hem şey ben sen biz siz onlar onun bunu böyle nasıl yok bütün tüm kendi önce ancak içinde üzerine",
    "fi": "ja on ei se että hän oli ovat mutta ole joka myös kuin tai jos niin mukaan sen ne kun vain jo mitä sekä hän "
    "mikä tämä sitä nyt olla kaikki minä sinä me te he siitä tämän joka ovat vielä sitten kanssa jotka joita voi",
    "hi": "के में की है और का को से ने पर यह कि भी एक हैं नहीं तो ही था इस लिए कर वह जो हो या थे थी अपने उस साथ गया तक "
    "बाद किया अब जब कुछ कोई क्या हम मैं आप वे उनके होता रहा जा",
    "ar": "في من على إلى أن التي عن مع هذا هذه الذي كان ما لا أو ذلك بعد كما كانت قد هو هي بين ثم لم إن كل عند غير "
    "حتى إذا قبل منذ أي بل هناك تلك الذين وقد ولا وهو وهي",
}
"""By language, as ISO 639 names it. `da` serves Danish and Norwegian."""

LEAST_SHARE = 0.1
"""Of a text's words are stop words, if the text is in their language. Texts have 12 % (Turkish) to 50 % (English)."""


class StopTable(NamedTuple):
    """All stop words by hash.

    Args:
        hashes: `(n,) uint64`, ascending.
        languages: `(n, n_languages) bool`, whose word each is.
        names: `(n_languages,)`, in the order of the columns.
    """

    hashes: NDArray[np.uint64]
    languages: NDArray[np.bool_]
    names: tuple[str, ...]


@cache
def stop_table() -> StopTable:
    """Return the stop words of all languages."""
    lists = [np.unique(tokenise(words).hashes) for words in STOP_WORDS.values()]
    hashes = np.unique(np.concatenate(lists))
    languages = np.stack([np.isin(hashes, one) for one in lists], axis=1)
    return StopTable(hashes, languages, tuple(STOP_WORDS))
