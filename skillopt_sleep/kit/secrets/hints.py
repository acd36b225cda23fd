r"""Hints: a quick search for the places where the name of a secret may stand.

Most texts have none, and this search runs over every text, so it is tuned: each word is looked for by its rarest
letter, with a look behind for the letters before it, and the match is no more of the word than is needed to know it.

There are two searches. `MAYBE` runs over a text in which all those rare letters are one (`as_loose`): a search for
one letter is many times faster than one for several. `HINT` runs, if that one matches, over the text in lower case,
and `NAME_STARTS_BEFORE` tells how many letters of the name stand before what it matches.

Webhooks, curl and rabbitmqctl aren't names of secrets, but the same search leads to their rules.
"""

import re

# A name that ends here, or goes on with a word that names of secrets go on with, as in keyBase64 or auth_string.
_ENDED = rb"(?:(?![a-z])|(?=key|val|str|text|b64|base|hex))"
HINT = re.compile(
    rb"""
    p(?: ass (?: e(?<=de.passe) | (?![abd-or-vx-z]) | ord)  # pass, passwd, passphrase, passord; not passed or passage
       | wd
       | w (?<![a-z0-9+/]pw) (?=[^a-z0-9+/])                # pw as a word of its own, not within base64
       | rivate-
       | aro(?=l[aei]?|ol)                                  # parol, parola, parool
       | alavra.passe
       | (?<![a-z0-9+/]mdp)(?<=mdp)(?=[^a-z0-9+/])          # mdp as a word of its own
    )
    | k(?: ey%b
       | en(?<=token)
       | (?<=hook)
       | ennwort | ontrasen | a(?<=lozinka) | u(?<=lozinku) | ode(?<=adgangskode) | odeord
       | ata.(?:sandi|laluan) | hau(?<=mat.khau)
    )
    | c(?: red(?:s|ential)
       | ret(?<=secret)
       | url[ ]
       | lave | ontrase | htwoord(?<=wachtwoord) | odi(?:go|ce).di?.ac
    )
    | g(?: (?<=sig)(?:(?=nat)|%b) | eslo)
    | b(?: earer | asic[ ] | itmqctl)
    | j(?: elsz[oa])
    | h(?: (?<=auth)(?:(?=oriz)|%b) | a(?<=senha) | esl[oae] | asl[oae])
    """
    % (_ENDED, _ENDED, _ENDED),
    re.VERBOSE,
)
NAME_STARTS_BEFORE = {
    b"ken": 2,  # to|ken
    b"cret": 2,
    b"g": 2,  # si|g
    b"h": 3,  # aut|h
    b"passe": 7,  # mot de |passe
    b"p": 2,  # md|p
    b"ka": 5,
    b"ku": 5,
    b"kode": 7,
    b"khau": 4,
    b"chtwoord": 2,
    b"ha": 3,  # sen|ha
}

_RARE_LETTERS = "pkcgbhj"


def _loose_letter(letter: str) -> str:
    if letter in _RARE_LETTERS:
        return "p"
    if letter in "0123456789":
        return "0"
    return letter


_AS_LOOSE = "".join(map(_loose_letter, bytes(range(256)).lower().decode("latin-1"))).encode("latin-1")


def as_loose(data: bytes) -> bytes:
    """Return the text in lower case, with each rare letter as p and each digit as 0."""
    return data.translate(_AS_LOOSE)


_LOOSE_ENDED = rb"(?:(?![a-z])|(?=pey|val|str|text|p64|pase|pex))"
# The words of HINT as `as_loose` writes them, sorted by what follows the p; some are matched by their beginning only.
MAYBE = re.compile(
    rb"p(?:a(?:ss|ro[lo]|lavra|ta.[sl]a|sip |sl[oae]|(?<=senpa)|(?<=zinpa))|u(?:rl |(?<=zinpu))|pau(?<=t.ppau)"
    rb"|e(?:y(?<![^a-z]tpey)%b|n(?<=topen)|nnwort|arer|sl[oae]|lsz)|w(?:d|(?![a-z]))"
    rb"|r(?:ivate-|e(?:d[se]|t(?<=sepret)))|lave|o(?:op|ntras|de(?:ord|(?<=spode))|dip)|twoord"
    rb"|[^a-z](?:(?<=sip.)|(?<=mdp.)|(?<=autp.))|nat(?<=sipnat)|oriz|itmq)" % _LOOSE_ENDED
)
# A digit in the last word of a line, in a text written `as_loose`.
DIGIT_ENDS_LINE = re.compile(rb"0[a-z0_+/.~:$%-]*=?\r?\n")
