#!/usr/bin/env python3
"""Looks up every quote and deed of truth_plan.py in sessions.py and writes truth.json. Fails when one is missing or not alone."""
import json
from pathlib import Path

import sessions as data
import truth_plan as plan
from write import session_uuid, transcript, typed

BY_ID = {s["id"]: s for s in data.SESSIONS}


def turn_of(s, event):
    """0-based number of the typed prompt an event belongs to (a deed: the prompt before it; before any prompt: 0)."""
    n = sum(1 for e in s["events"][:event + 1] if e["e"] in ("user", "slash"))
    return max(n - 1, 0)


def own_words(e):
    """(text, after_paste, in_slash) pieces a person typed in this event."""
    if e["e"] == "user":
        seen = False
        for p in e["parts"]:
            if p["paste"]:
                seen = True
            else:
                yield p["text"], seen, False
    elif e["e"] == "slash":
        yield e["args"], False, True
    elif e["e"] == "tool" and isinstance(e["reject"], str):
        yield e["reject"], False, False


def find(o):
    s = BY_ID[o["session"]]
    hits = []
    for i, e in enumerate(s["events"]):
        if "quote" in o:
            for text, after, slash in own_words(e):
                if o["quote"] in text:
                    h = {"quote": o["quote"]}
                    if after:
                        h["after_paste"] = True
                    if slash:
                        h["in_slash_command"] = True
                    if e["e"] == "tool":
                        h["with_rejection_of"] = e.get("path") or e.get("cmd")
                    hits.append((i, h))
            continue
        k, t = o["deed"], o["target"]
        ok = (k == "rejected" and e["e"] == "tool" and e["reject"] and t in (e.get("cmd") or e.get("path")) or
              k == "interrupted" and e["e"] == "tool" and e.get("stop") and t in e["cmd"] or
              k == "interrupted" and e["e"] == "interrupt" and t in s["events"][i - 1].get("text", "") or
              k in ("own_command", "own_check", "undone") and e["e"] == "bang" and t in e["cmd"] or
              k == "redone" and e["e"] == "mine" and e["path"] == t)
        if ok:
            h = {"deed": k, "target": t}
            if e["e"] == "mine":
                h["agents_text"], h["persons_text"] = e["old"], e["new"]
                if hits:                                # a second change of the same file in the same go
                    hits[0][1].setdefault("more", []).append([e["old"], e["new"]])
                    continue
                nxt = next(j for j in range(i, len(s["events"])) if s["events"][j].get("tool") == "Read" and s["events"][j]["path"] == t)
                h["seen_at_event"] = nxt
            else:
                h["stopped_text" if e["e"] == "interrupt" else "command"] = e.get("cmd") or s["events"][i - 1]["text"]
            hits.append((i, h))
    if len(hits) != 1:
        raise SystemExit("%s: %r found %d times" % (o["session"], o.get("quote") or o.get("target"), len(hits)))
    i, h = hits[0]
    return {"session": s["id"], "session_id": session_uuid(s), "date": s["start"][:10], "turn": turn_of(s, i), "event": i, **h}


def main():
    lessons, taken = [], []
    for t in plan.TAKEN_BACK:
        taken.append({"lesson": t["lesson"], "by_lesson": t["by_lesson"], "span": t["span"], **find({"session": t["session"], "quote": t["quote"]})})
    gone = {t["lesson"]: t for t in taken}
    for l in plan.LESSONS:
        occ = [find(o) for o in l["occurrences"]]
        for n, o in enumerate(occ, 1):
            o["id"] = "%s#%d" % (l["id"], n)
        lessons.append({"id": l["id"], "wording": l["wording"], "where": l["where"], "evidence": l["evidence"],
                        "deeds_only": all("deed" in o for o in occ), "sessions": len({o["session"] for o in occ}),
                        "lives_at_end": l["id"] not in gone, "occurrences": occ})
    once = [{"id": f["id"], "wording": f["wording"], "why": f["why"], "occurrences": [find(o) for o in f["occurrences"]]} for f in plan.FOR_ONCE]
    turns = {}
    for l in lessons:
        for o in l["occurrences"]:
            if "quote" in o:
                turns.setdefault((o["session"], o["turn"], o["event"]), []).append(l["id"])
    nots = []
    for id, kind, sid, text in plan.NOT_LESSONS:
        s = BY_ID[sid]
        ev = [i for i, e in enumerate(s["events"]) if (kind == "paste" and e["e"] == "user" and any(p["paste"] and text in p["text"] for p in e["parts"]))
              or (kind == "tool output" and e["e"] == "tool" and text in (e.get("out") or e.get("content") or ""))
              or (kind.startswith("output of") and e["e"] == "bang" and text in e["out"])
              or (kind.startswith("body") and e["e"] == "slash" and text in e["body"])
              or (kind.startswith("own command") and e["e"] == "bang" and text in e["cmd"])
              or (kind.startswith(("rejected", "stopped", "detail", "praise", "thanks")) and e["e"] == "user" and text in typed(e))]
        if not ev:
            raise SystemExit("%s: %r not found" % (sid, text))
        nots.append({"id": id, "kind": kind, "session": sid, "session_id": session_uuid(s), "date": s["start"][:10],
                     "turn": turn_of(s, ev[0]), "event": ev[0], "text": text})
    nights = []
    for n in plan.NIGHTS:
        seen = [l for l in lessons if any(o["date"] <= n for o in l["occurrences"])]
        dead = {t["lesson"] for t in taken if t["date"] <= n}
        nights.append({"until": n, "sessions": sum(s["start"][:10] <= n for s in data.SESSIONS),
                       "living": [l["id"] for l in seen if l["id"] not in dead], "retired": [l["id"] for l in seen if l["id"] in dead]})
    lang = {sid: k for k, v in plan.LANGUAGES.items() for sid in v}
    truth = {
        "lessons": lessons, "for_once": once, "taken_back": taken, "not_lessons": nots,
        "two_wishes": [{"session": k[0], "turn": k[1], "event": k[2], "lessons": v} for k, v in sorted(turns.items()) if len(v) > 1],
        "near_miss": [{"a": a, "b": b, "why": w} for a, b, w in plan.NEAR_MISS],
        "letter_equal": plan.LETTER_EQUAL, "praise": plan.PRAISE,
        "exceptions": [{"lesson": a, "for_once": b} for a, b in plan.EXCEPTIONS],
        "groups": {l["id"]: [o["id"] for o in l["occurrences"]] for l in lessons if len(l["occurrences"]) > 1},
        "nothing": plan.NOTHING, "nights": nights,
        "sessions": {s["id"]: {"session_id": session_uuid(s), "project": s["project"], "agent": s["agent"], "start": s["start"],
                               "language": lang.get(s["id"], "en"),
                               "prompts": sum(e["e"] in ("user", "slash") for e in s["events"]),
                               "file": transcript(s) if s["agent"] == "codex" else "home/.claude/projects/*/%s.jsonl" % session_uuid(s)}
                     for s in data.SESSIONS},
    }
    Path(__file__).with_name("truth.json").write_text(json.dumps(truth, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print("truth.json: %d lessons, %d sessions" % (len(lessons), len(data.SESSIONS)))


if __name__ == "__main__":
    main()
