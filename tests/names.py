"""Names of two seats, in lists: what every door takes, and what every door refuses."""

TAKEN = [
    ["Ann", "Bob"],
    ["ann", "Anne"],
    ["Player 1", "Player 2"],
    ["Player 1", "Players"],
    ["Ann B", "Bob <b>&amp;</b> {seat}"],
    ["W" * 40, "中" * 40],
    ["Владимир", "Σωκράτης"],
    ["José", "שרה"],
    ["❤\ufe0f", "🦖" * 40],
    ["e\u0301", "'; drop table game; --"],
    ["__proto__", "constructor"],
]
REFUSED = [
    ["x" * 41, "Bob"],
    ["🦖" * 41, "Bob"],
    [3, "Bob"],
    [None, "Bob"],
    [["Ann"], "Bob"],
    [{}, "Bob"],
    [True, "Bob"],
    *([name, "Bob"] for name in (" Ann", "Ann ", "An\x1bn", "An\nn", "An\u202en", "An\u200bn")),
    *([name, "Bob"] for name in ("An\u00a0n", "An\u3000n", "An\u2028n", "An\ue000n")),
    # nothing is seen
    *([name, "Bob"] for name in (" ", "\u3164", "\u2800", "\ufe0f", "\u115f", "\u200b", "\uffa0")),
    *([name, "Bob"] for name in ("\u0301", "\u2800\u3164 \ufe0f\u0301", "\U0001d159")),
    # "you", "nobody", the usual name of a seat
    *(
        [name, "Bob"]
        for name in ("you", "You", "YOU", "y\u2800ou", "y o u", "ｙｏｕ", "ⓎⓞⓊ", "уоu")
    ),
    *([name, "Bob"] for name in ("y0u", "ʏᴏᴜ", "yοu", "𝐲𝐨𝐮", "Nobody", "no body", "NОBODY")),
    *([name, "Bob"] for name in ("Player 2", "Player 3", "player2", "PIayer 2", "Рlауеr 2")),
    *([name, "Bob"] for name in ("Player\ufe0f 2", "Player ２", "Player 12", "player 1")),
    # each other
    *(["Bob", name] for name in ("Bob", "BOB", "bob", "B ob", "Воb", "Bоb", "B\ufe0fob", "Ｂｏｂ")),
    *([name, other] for name, other in (("Straße", "STRASSE"), ("Ill", "lll"), ("é", "e\u0301"))),
    *([name, other] for name, other in (("ΣΑΣ", "σας"), ("ﬁn", "FIN"), ("\u212b", "å"))),
]
NO_NAMES = [5, "Ann", {"0": "Ann"}, True]  # no lists at all
