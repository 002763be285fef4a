import { describe, expect, it } from "vitest";
import { around, idleHost, key, prefix, QUEUED, reads, state, text } from "../../tests/attach-events.ts";
import type { QueuedDelivery } from "../wire/shapes/messages.ts";
import type { ShownComposer } from "../wire/shapes/sessions.ts";
import { step } from "./attachment.ts";
import {
  type Action,
  type Attachment,
  type Event,
  firstAttachment,
  HINT_MS,
  NOTE_MS,
  SHOWN_LATE_MS,
} from "./attachment-state.ts";

interface Scene {
  readonly at: Attachment;
  readonly actions: readonly Action[];
}

function play(start: Attachment, ...events: readonly Event[]): Scene {
  let at = start;
  const actions: Action[] = [];
  for (const event of events) {
    const [next, done] = step(at, event, around());
    at = next;
    actions.push(...done);
  }
  return { at, actions };
}

const seated = () => play(firstAttachment("type", idleHost), state({})).at;
const owning = () => play(seated(), prefix, text("p"), state({ passthrough: 1 })).at;

describe("an attached person", () => {
  it("types a normal text straight into the program", () => {
    const { at, actions } = play(seated(), text("run the tests"), key("Enter"));
    expect(actions).toEqual([{ kind: "say", message: { type: "submit", text: "run the tests" } }]);
    expect(at.bar.text).toBe("");
    expect(at.hint).toBe("typed into the program");
  });

  it.each([
    ["draft", "A draft is there: Enter again adds to it, Tab queues."],
    ["dialog", "A dialog is open: Enter again answers it, Tab queues."],
  ] as const)("is asked once more before their text goes to a %s", (composer, words) => {
    const asked = play(seated(), reads(composer), text("run them"), key("Enter"));
    expect(asked.actions).toEqual([]);
    expect(asked.at).toMatchObject({ bar: { text: "run them" }, note: { tone: "bad", text: words } });
    const typed = play(asked.at, reads(composer), key("Enter"));
    expect(typed.actions).toEqual([{ kind: "say", message: { type: "submit", text: "run them" } }]);
    expect(typed.at.bar.text).toBe("");
    expect(play(typed.at, text("more"), key("Enter")).actions).toEqual([]);
    const queued = play(asked.at, key("Tab"), key("Enter"));
    expect(queued.actions).toMatchObject([
      { kind: "send", letter: { text: "run them", priority: "idle-first" } },
    ]);
  });

  it("is asked again once they wrote on, something else stands there, or the question is gone", () => {
    const asked = play(seated(), reads("draft"), text("run them"), key("Enter")).at;
    const [later] = step(asked, { kind: "late" }, around(1_000 + NOTE_MS.bad));
    expect(play(later, key("Enter")).actions).toEqual([]);
    for (const between of [[text("!")], [reads("dialog")], [reads("empty"), reads("draft")]])
      expect(play(asked, ...between, key("Enter")).actions).toEqual([]);
  });

  it.each([
    ["an empty line", "empty"],
    ["what cannot be read", "unknown"],
    ["a daemon that does not tell"],
  ] as const)("is not asked before %s, nor while the daemon is away", (_, composer?: ShownComposer) => {
    const away: Event = { kind: "daemon", daemon: { at: "away" } };
    for (const heard of [[reads(composer)], [reads("draft"), away]])
      expect(play(seated(), ...heard, text("go"), key("Enter")).actions).toHaveLength(1);
  });

  it("reads what became of a typed text for a while, or until the next key", () => {
    const { at } = play(seated(), text("go"), key("Enter"));
    expect(step(at, { kind: "late" }, around(1_000 + HINT_MS - 1))[0].hint).toBe("typed into the program");
    expect(step(at, { kind: "late" }, around(1_000 + HINT_MS))[0].hint).toBe("");
    expect(play(at, text("x"), key("BSpace")).at.hint).toBe("");
    const sent = play(seated(), text("go"), key("Enter"), text("and"), key("Tab"), key("Enter")).at;
    const queued = play(sent, QUEUED).at;
    expect(step(queued, { kind: "late" }, around(1_000_000))[0].hint).toBe("queued #a1b2c3");
  });

  it("is warned as long as there is something to warn of, and no longer", () => {
    const drafted = play(seated(), reads("draft"), text("run them"), key("Enter")).at;
    for (const over of [reads("empty"), text("!"), key("Tab")])
      expect(play(drafted, over).at.note).toBeNull();
    expect(play(drafted, reads("draft")).at.note?.text).toContain("A draft is there");
    const taken = play(seated(), state({ passthrough: 2 }), text("hello"), key("Enter")).at;
    expect(play(taken, state({ passthrough: 2, viewers: 3 })).at.note?.text).toContain("has the keyboard");
    expect(play(taken, state({})).at.note).toBeNull();
    const hasty = [text("one"), key("Tab"), key("Enter"), text("two"), key("Tab"), key("Enter")];
    const underWay = play(seated(), ...hasty).at;
    expect(underWay.note?.text).toContain("still being sent");
    expect(play(underWay, QUEUED).at.note).toBeNull();
    const announced = play(drafted, { kind: "told", told: { type: "announce", text: "news" } }, text("x")).at;
    expect(announced.note?.text).toBe("news");
  });

  it("is told that a message waits only while it does", () => {
    const waits = (...ids: readonly string[]): Event => {
      const event = reads("empty");
      const deliveries = ids.map((shortId) => ({ shortId }) as QueuedDelivery);
      if (event.kind !== "daemon" || event.daemon.at !== "there") return event;
      return { ...event, daemon: { at: "there", session: { ...event.daemon.session, deliveries } } };
    };
    const told = play(seated(), text("go"), key("Tab"), key("Enter"), QUEUED).at;
    // The daemon may not have looked yet.
    const unseen = play(told, waits()).at;
    expect(unseen.hint).toBe("queued #a1b2c3");
    const later = 1_000 + SHOWN_LATE_MS;
    const waiting = step(play(told, waits("other1", "a1b2c3")).at, { kind: "late" }, around(later))[0];
    expect(waiting.hint).toBe("queued #a1b2c3");
    expect(step(waiting, waits("other1"), around(9_000_000))[0].hint).toBe("#a1b2c3 is no longer queued");
    const gone = step(unseen, { kind: "late" }, around(later))[0];
    expect(gone.hint).toBe("#a1b2c3 is no longer queued");
    expect(step(gone, { kind: "late" }, around(later + HINT_MS))[0].hint).toBe("");
  });

  it("is told of a paste that no bar holds, and keeps what stood there", () => {
    const { at } = play(seated(), text("before"), { kind: "overlong" });
    expect(at.bar.text).toBe("before");
    expect(at.note?.text).toBe("Too long for the bar, left out: use bellhop send --file.");
    expect(play(firstAttachment("watch", idleHost), { kind: "overlong" }).at.note).toBeNull();
  });

  it("sends any other text through the queue, and hears what became of it", () => {
    const { at, actions } = play(seated(), text("stop"), key("BTab"), key("Enter"));
    expect(actions).toMatchObject([{ kind: "send", letter: { text: "stop", priority: "interrupt" } }]);
    expect(at.hint).toBe("sending…");
    expect(play(at, QUEUED).at).toMatchObject({
      hint: "queued #a1b2c3",
      underWay: null,
    });
  });

  it("keeps a text that could not be sent, and gives it the same key when it is said again", () => {
    const sent = play(seated(), text("later"), key("Tab"), key("Tab"), key("Enter"));
    const back = play(sent.at, { kind: "unsent", words: "Not sent: the daemon is away." });
    expect(back.at.bar).toMatchObject({ text: "later", priority: "idle" });
    expect(back.at.note).toMatchObject({ tone: "bad", text: "Not sent: the daemon is away." });
    const again = play(back.at, key("Enter"));
    expect(again.actions).toEqual(sent.actions);
    const other = play(back.at, text("!"), key("Enter"));
    expect(other.actions).not.toEqual(sent.actions);
  });

  it("does not put a refused text over one that was begun meanwhile, but tells where it is", () => {
    const sent = play(seated(), text("first"), key("Tab"), key("Enter"), text("second"));
    const { at } = play(sent.at, { kind: "unsent", words: "Not sent." });
    expect(at.bar.text).toBe("second");
    expect(at.note?.text).toBe("Not sent. Up brings your text back.");
    expect(play(at, key("Up")).at.bar.text).toBe("first");
  });

  it("waits with the next message while one is on its way, and keeps its text", () => {
    const { at, actions } = play(
      seated(),
      text("one"),
      key("Tab"),
      key("Enter"),
      text("two"),
      key("Tab"),
      key("Enter"),
    );
    expect(actions).toHaveLength(1);
    expect(at.bar.text).toBe("two");
    expect(at.note?.text).toContain("still being sent");
  });

  it("says nothing when there is nothing to say", () => {
    expect(play(seated(), key("Enter"), text("  "), key("Enter")).actions).toEqual([]);
  });

  it("lets no key reach the program outside passthrough", () => {
    const { actions } = play(
      seated(),
      ...["Escape", "Up", "Left", "C-c", "F1", "PageUp", "C-z", "M-x"].map(key),
    );
    expect(actions).toEqual([]);
  });

  it("has the keyboard once the host says so, and gives it back", () => {
    const asking = play(seated(), prefix, text("p"));
    expect(asking.actions).toEqual([{ kind: "say", message: { type: "passthrough", on: true } }]);
    expect(asking.at.mode).toEqual({ at: "asking" });
    const granted = play(asking.at, state({ passthrough: 1 }), { kind: "raw", bytes: Buffer.from("\x1b[A") });
    expect(granted.at.mode).toEqual({ at: "passthrough" });
    expect(granted.actions).toEqual([{ kind: "keys", bytes: Buffer.from("\x1b[A") }]);
    const back = play(granted.at, prefix, text("p"));
    expect(back.actions).toEqual([{ kind: "say", message: { type: "passthrough", on: false } }]);
    expect(back.at.mode).toEqual({ at: "bar" });
  });

  it("is told in a sentence that somebody else has the keyboard", () => {
    const others = play(seated(), state({ viewers: 2, passthrough: 2 })).at;
    const asked = play(others, prefix, text("p"));
    expect(asked.actions).toEqual([]);
    expect(asked.at.note?.text).toBe("Viewer 2 has the keyboard; wait until they give it back.");
    const said = play(others, text("hello"), key("Enter"));
    expect(said.actions).toEqual([]);
    expect(said.at.bar.text).toBe("hello");
  });

  it("gets their text and their bar back when the host refuses after all", () => {
    const refusal = (what: string): Event => ({
      kind: "told",
      told: { type: "refused", what, message: "Somebody else has the keyboard." },
    });
    const typed = play(seated(), text("hello"), key("Enter"), refusal("submit"));
    expect(typed.at.bar.text).toBe("hello");
    const asked = play(seated(), prefix, text("p"), refusal("passthrough"));
    expect(asked.at.mode).toEqual({ at: "bar" });
    expect(asked.at.note?.text).toBe("Somebody else has the keyboard.");
  });

  it("is back in the bar when the host does not answer", () => {
    const { at, actions } = play(seated(), prefix, text("p"), { kind: "unanswered" });
    expect(at.mode).toEqual({ at: "bar" });
    expect(at.note?.text).toBe("The terminal does not answer.");
    expect(actions.at(-1)).toEqual({ kind: "say", message: { type: "passthrough", on: false } });
    expect(play(owning(), { kind: "unanswered" }).at.mode).toEqual({ at: "passthrough" });
  });

  it("loses the keyboard when the host says so", () => {
    expect(play(owning(), state({ passthrough: null })).at.mode).toEqual({ at: "bar" });
  });

  it("sends our own key through by pressing it twice, in passthrough only", () => {
    expect(play(owning(), prefix, key("C-\\")).actions).toEqual([
      { kind: "keys", bytes: Buffer.from([0x1c]) },
    ]);
    const { at, actions } = play(seated(), prefix, key("C-\\"));
    expect(actions).toEqual([]);
    expect(at.note?.text).toContain("passthrough only");
  });

  it("scrolls back and returns to where they were", () => {
    const back = play(owning(), prefix, text("["), key("PageUp"), text("g"), text("x"));
    expect(back.actions).toEqual([
      { kind: "scroll", how: "page-up" },
      { kind: "scroll", how: "top" },
    ]);
    const home = play(back.at, text("q"));
    expect(home.at.mode).toEqual({ at: "passthrough" });
    expect(home.actions).toEqual([{ kind: "scroll", how: "bottom" }]);
    expect(play(seated(), prefix, text("["), key("Escape")).at.mode).toEqual({ at: "bar" });
  });

  it("reads the help and goes on with any key, which is lost", () => {
    const { at } = play(seated(), prefix, text("?"), text("x"));
    expect(at.mode).toEqual({ at: "bar" });
    expect(at.bar.text).toBe("");
  });

  it("leaves with d, and is told about a command that is none", () => {
    expect(play(owning(), prefix, text("d")).actions).toEqual([{ kind: "detach" }]);
    expect(play(seated(), prefix, text("z")).at.note?.text).toContain("no command z");
    expect(play(seated(), prefix, key("Escape")).at).toMatchObject({ awaiting: "nothing", note: null });
  });

  it("sees an announcement for five seconds", () => {
    const { at } = play(seated(), { kind: "told", told: { type: "announce", text: "a draft came back" } });
    expect(at.note).toEqual({ text: "a draft came back", tone: "announcement", until: 1_000 + 5_000 });
    expect(NOTE_MS.announcement).toBe(5_000);
    expect(step(at, { kind: "late" }, around(5_999))[0].note).toBe(at.note);
    expect(step(at, { kind: "late" }, around(6_000))[0].note).toBeNull();
  });

  it("does nothing to the program when they only watch", () => {
    const watching = play(firstAttachment("watch", idleHost), state({})).at;
    const { at, actions } = play(watching, text("hello"), key("Enter"), prefix, text("p"));
    expect(actions).toEqual([]);
    expect(at.note?.text).toContain("only watch");
    expect(play(watching, prefix, text("d")).actions).toEqual([{ kind: "detach" }]);
  });
});
