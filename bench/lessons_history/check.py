#!/usr/bin/env python3
"""Checks truth.json against sessions.py, the counts the world promises, and the files write.py renders. Exit 1 on any fault."""
import json, re, subprocess, sys, tempfile
from collections import Counter, defaultdict
from pathlib import Path

import sessions as data
from build_truth import BY_ID, own_words, turn_of
from write import session_uuid, transcript, typed

HERE = Path(__file__).parent
faults, lines = [], []


def need(ok, text):
    if not ok:
        faults.append(text)


def least(n, want, what):
    lines.append("%-62s %3d (at least %d)" % (what, n, want))
    need(n >= want, "%s: %d, at least %d wanted" % (what, n, want))


truth = json.loads((HERE / "truth.json").read_text(encoding="utf-8"))
L, F, TB, N = truth["lessons"], truth["for_once"], truth["taken_back"], truth["not_lessons"]
by = {l["id"]: l for l in L}

# --- ids, quotes, deeds, turns
ids = [x["id"] for x in L + F + N] + [o["id"] for l in L for o in l["occurrences"]]
need(len(ids) == len(set(ids)), "ids are not unique: %s" % [k for k, v in Counter(ids).items() if v > 1])
need(len(BY_ID) == len(data.SESSIONS), "session ids are not unique")
need(len({session_uuid(s) for s in data.SESSIONS}) == len(data.SESSIONS), "session uuids are not unique")
quotes = []
for o in [o for x in L + F for o in x["occurrences"]] + TB:
    s = BY_ID[o["session"]]
    e = s["events"][o["event"]]
    where = "%s event %d" % (o["session"], o["event"])
    need(o["turn"] == turn_of(s, o["event"]), where + ": wrong turn")
    need(o["session_id"] == session_uuid(s) and o["date"] == s["start"][:10], where + ": wrong session id or date")
    if "quote" in o:
        quotes.append(o["quote"])
        need(any(o["quote"] in t for t, _, _ in own_words(e)), where + ": quote not in what the person typed: " + o["quote"])
        if e["e"] == "user":
            need(o["quote"] not in "".join(p["text"] for p in e["parts"] if p["paste"]), where + ": quote stands in a paste")
    else:
        got = e.get("cmd") or e.get("path") or s["events"][o["event"] - 1].get("text", "")
        need(o["target"] in got, where + ": deed not there")
        need({"rejected": lambda: e["e"] == "tool" and e["reject"], "interrupted": lambda: e.get("stop") or e["e"] == "interrupt", "undone": lambda: e["e"] == "bang",
              "own_check": lambda: e["e"] == "bang", "own_command": lambda: e["e"] == "bang", "redone": lambda: e["e"] == "mine"}[o["deed"]](),
             where + ": deed of another kind")
for l in L:
    words = [o["quote"] for o in l["occurrences"] if "quote" in o]
    again = truth["letter_equal"].get(l["id"], [])
    need(len(words) - len(set(words)) == max(len(again) - 1, 0), l["id"] + ": the same wording twice")
    if again:
        need(len({o["quote"] for o in l["occurrences"] if o["session"] in again and "quote" in o}) == 1, l["id"] + ": not letter-equal")
    need(len(l["wording"].split()) <= 16 and l["wording"].endswith("."), l["id"] + ": wording is not one short command")
for n in N:
    s = BY_ID[n["session"]]
    if n["kind"] == "paste":
        own = "".join(t for e in s["events"] for t, _, _ in own_words(e))
        need(n["text"] not in own, n["id"] + ": stands in the person's own words")
for t in TB:
    need(t["lesson"] in by and (t["by_lesson"] is None or t["by_lesson"] in by), "taken_back names an unknown lesson")
    need(min(o["date"] for o in by[t["lesson"]]["occurrences"]) <= t["date"], t["lesson"] + ": taken back before it was said")
for p in truth["near_miss"]:
    need(p["a"] in by and p["b"] in by, "near_miss names an unknown lesson")
for x in truth["exceptions"]:
    need(by[x["lesson"]]["lives_at_end"] and x["for_once"] in {f["id"] for f in F}, "exceptions: unknown id or a lesson that doesn't live on")
need(set(truth["praise"]) <= {o["id"] for l in L for o in l["occurrences"] if "quote" in o}, "praise names no occurrence")
used = {o["session"] for x in L + F for o in x["occurrences"]} | {t["session"] for t in TB}
need(not used & set(truth["nothing"]), "sessions with nothing hold something: %s" % (used & set(truth["nothing"])))
need(used | set(truth["nothing"]) == set(BY_ID), "sessions neither used nor nothing: %s" % (set(BY_ID) - used - set(truth["nothing"])))

# --- counts
n = len(data.SESSIONS)
need(65 <= n <= 76, "%d sessions" % n)
lines.append("%-62s %3d (65 to 76)" % ("sessions", n))
need(len({s["project"] for s in data.SESSIONS}) == 5, "not five projects")
need({s["agent"] for s in data.SESSIONS} == {"claude", "codex"}, "not both agents")
both = [p for p in data.PROJECTS if len({s["agent"] for s in data.SESSIONS if s["project"] == p}) == 2]
least(len(both), 1, "projects with both agents")
langs = Counter(k for v in truth["sessions"].values() for k in v["language"].split("+"))
least(len(langs), 6, "languages " + " ".join("%s:%d" % x for x in langs.most_common()))
need({k for k, _ in langs.most_common(2)} == {"en", "de"}, "English and German are not the most")
for s in data.SESSIONS:
    p = sum(e["e"] in ("user", "slash") for e in s["events"])
    need(1 <= p <= 6, "%s has %d prompts" % (s["id"], p))
    need(data.FIRST_DAY <= s["start"][:10] <= data.LAST_DAY, s["id"] + ": date")
living = [l for l in L if l["lives_at_end"]]
need(20 <= len(living) <= 24, "%d lessons living at the end" % len(living))
lines.append("%-62s %3d (20 to 24)" % ("lessons living at the end", len(living)))
lines.append("%-62s %3d" % ("lessons in all", len(L)))
least(sum(l["sessions"] >= 3 for l in L), 16, "lessons in three or more sessions")
least(sum(l["sessions"] == 2 for l in L), 4, "lessons in two sessions")
need(sum(l["sessions"] == 2 for l in living) == 4, "not four living lessons in two sessions: %s" % [l["id"] for l in living if l["sessions"] == 2])
wide = [l for l in L if len({BY_ID[o["session"]]["project"] for o in l["occurrences"]}) >= 3]
least(len(wide), 3, "lessons of the person in three or more projects")
need(all(l["where"]["scope"] == "person" for l in wide), "a wide lesson is not the person's")
least(len(truth["letter_equal"]), 1, "lessons said letter by letter the same in three sessions")
least(sum(l["sessions"] == 1 for l in L), 1, "lessons in one session")
lang_of = {k: v["language"] for k, v in truth["sessions"].items()}
least(sum(len({lang_of[o["session"]] for o in l["occurrences"] if "quote" in o}) > 1 for l in L), 4, "lessons said in several languages")
least(len(truth["near_miss"]), 8, "near-miss pairs")
deeds = [l for l in L if l["deeds_only"]]
least(len(deeds), 3, "lessons with deeds only")
least(sum("deeds" in l["evidence"] for l in L), 9, "lessons with deeds among the evidence")
least(sum(l["sessions"] > 1 for l in deeds), 2, "of them recurring")
kinds = Counter((o["deed"], BY_ID[o["session"]]["agent"]) for l in L for o in l["occurrences"] if "deed" in o)
least(len({k for k, _ in kinds}), 6, "kinds of deeds " + " ".join(sorted({k for k, _ in kinds})))
need({a for _, a in kinds} == {"claude", "codex"}, "deeds of one agent only")
least(sum(l["evidence"] == "same request again" for l in L), 1, "lessons from the same request again")
least(len(truth["two_wishes"]), 5, "corrections with two wishes")
least(len(F), 8, "for-once wishes")
least(sum(len({o["session"] for o in f["occurrences"]}) > 1 for f in F), 3, "of them coming back")
least(sum("phrase" not in f["why"] for f in F), 3, "of them clear from the situation only")
for span in ("within a session", "same week", "across weeks"):
    least(sum(t["span"] == span for t in TB), 1, "taken back, " + span)
allq = [o for l in L for o in l["occurrences"] if "quote" in o]
least(sum(o.get("after_paste", False) for o in allq), 4, "own words after a paste")
least(sum(o.get("in_slash_command", False) for o in allq), 2, "own words behind a slash command")
least(sum(x["kind"] == "paste" for x in N), 6, "pasted imperatives of others")
least(len({x["session"] for x in N if x["kind"] in ("tool output", "output of the person's own command")}), 4, "sessions with instructions in output")
least(sum(x["kind"].startswith("detail") for x in N), 6, "details of one request")
least(sum(x["kind"] == "thanks" for x in N), 6, "thanks that say nothing")
least(5 * len(truth["nothing"]), n, "sessions with nothing, times five")

# --- rendered files
with tempfile.TemporaryDirectory() as tmp:
    subprocess.run([sys.executable, str(HERE / "write.py"), tmp], check=True, capture_output=True)
    files = sorted(Path(tmp).glob("home/**/*.jsonl"))
    need(sum(f.name != "history.jsonl" for f in files) == n, "not one transcript for each session")
    for s in data.SESSIONS:
        f = Path(tmp) / transcript(s, tmp)
        recs = [json.loads(l) for l in f.read_text(encoding="utf-8").splitlines()]
        got = []
        if s["agent"] == "claude":
            seen, calls, results = set(), [], []
            for r in recs:
                if "uuid" in r:
                    need(r["parentUuid"] is None or r["parentUuid"] in seen, s["id"] + ": broken chain")
                    seen.add(r["uuid"])
                need(r["sessionId"] == session_uuid(s) if "sessionId" in r else r["type"].startswith("file-history"), s["id"] + ": session id")
                if r["type"] == "user" and r.get("origin", {}).get("kind") == "human":
                    got.append(r["message"]["content"])
                if r["type"] in ("user", "assistant") and isinstance(r["message"]["content"], list):
                    for b in r["message"]["content"]:
                        if b["type"] == "tool_use":
                            calls.append(b["id"])
                        elif b["type"] == "tool_result":
                            results.append(b["tool_use_id"])
            need(calls == results, s["id"] + ": calls and results differ")
            bangs = sum("<bash-input>" in str(r.get("message", {}).get("content", "")) for r in recs if r["type"] == "user")
        else:
            need([r["ordinal"] for r in recs] == list(range(len(recs))), s["id"] + ": ordinals")
            got = [r["payload"]["item"]["content"][0]["text"] for r in recs if r["payload"].get("type") == "item_completed"
                   and r["payload"]["item"]["type"] == "UserMessage"]
            begun = sum(r["payload"].get("type") == "task_started" for r in recs)
            ended = sum(r["payload"].get("type") in ("task_complete", "turn_aborted") for r in recs)
            need(begun == ended, "%s: %d turns begun, %d ended" % (s["id"], begun, ended))
            calls = [r["payload"]["call_id"] for r in recs if r["payload"].get("type") in ("function_call", "custom_tool_call")]
            outs = [r["payload"]["call_id"] for r in recs if r["payload"].get("type") in ("function_call_output", "custom_tool_call_output")]
            need(calls == outs, s["id"] + ": calls and outputs differ")
            bangs = sum(r["payload"].get("item", {}).get("source") == "user_shell" for r in recs)
        times = [r["timestamp"] for r in recs if "timestamp" in r]
        need(times == sorted(times), s["id"] + ": time runs backwards")
        need(bangs == sum(e["e"] == "bang" for e in s["events"]), s["id"] + ": own commands")
        prompts = [e for e in s["events"] if e["e"] in ("user", "slash")]
        need(len(got) == len(prompts), "%s: %d prompts rendered, %d typed" % (s["id"], len(got), len(prompts)))
        for g, e in zip(got, prompts):
            need((typed(e) if e["e"] == "user" else e["args"]) in g, s["id"] + ": prompt not verbatim")
        for o in allq:
            if o["session"] == s["id"]:
                need(json.dumps(o["quote"], ensure_ascii=False)[1:-1] in f.read_text(encoding="utf-8"), "%s: quote not in the file" % o["id"])
        for m in re.findall(r"[\w.+-]+@([\w-]+(?:\.[\w-]+)+)", f.read_text(encoding="utf-8")):
            need(m in ("example.org", "anthropic.com"), "%s: address at %s" % (s["id"], m))
        for l in L:
            for o in l["occurrences"]:
                if o["session"] == s["id"] and o.get("deed") == "redone":
                    need(o["persons_text"].split("\n")[0].strip() in f.read_text(encoding="utf-8").replace("\\\"", "\""), o["id"] + ": change not seen")
    for name in data.PROJECTS:
        need((Path(tmp) / "projects" / name / ".git").is_dir(), name + ": no repository")
    for night in truth["nights"]:
        with tempfile.TemporaryDirectory() as cut:
            subprocess.run([sys.executable, str(HERE / "write.py"), cut, "--until", night["until"]], check=True, capture_output=True)
            k = sum(f.name != "history.jsonl" for f in Path(cut).glob("home/**/*.jsonl"))
            need(k == night["sessions"], "night %s: %d files" % (night["until"], k))

print("\n".join(lines))
print("FAULTS:\n  " + "\n  ".join(faults) if faults else "all well")
sys.exit(bool(faults))
