/** What each key means to an attached person, outside passthrough. Pure. */
import { assertNever } from "../../core/errors.ts";
import type { ViewerSays } from "../../wire/host/host.ts";
import {
  type Attachment,
  HINT_MS,
  type Letter,
  type Mode,
  noted,
  type Obstacle,
  obstacleOf,
  type Step,
  type Surroundings,
  taken,
  tooMuch,
  unwarned,
  warned,
} from "../attachment-state.ts";
import type { Scroll } from "../drawing/replica.ts";
import { type Bar, emptied, pressInBar } from "./bar.ts";
import type { Key } from "./keys.ts";

/** Treats the key as a command if the prefix came before it. */
export function press(at: Attachment, key: Key, around: Surroundings): Step {
  return at.awaiting === "command" ? command(at, key, around) : pressed(at, key, around);
}

function command(waiting: Attachment, key: Key, around: Surroundings): Step {
  const at: Attachment = { ...waiting, awaiting: "nothing" };
  const back = at.mode.at === "passthrough" || backOf(at.mode) === "passthrough" ? "passthrough" : "bar";
  const pressedKey = nameOf(key);
  const { prefixName: prefix } = around;
  const bad = (text: string): Step => noted(at, "bad", text, around);
  switch (pressedKey) {
    case "d":
      return [at, [{ kind: "detach" }]];
    case "p":
      return passthrough(at, around);
    case "[":
      return [{ ...at, mode: { at: "scrollback", back } }, []];
    case "?":
      return [{ ...at, mode: { at: "help", back } }, []];
    case prefix:
      if (at.mode.at !== "passthrough")
        return bad(`Keys reach the program in passthrough only: ${prefix} p.`);
      return [at, [{ kind: "keys", bytes: Buffer.from([around.prefix]) }]];
    case "Escape":
    case "":
      return [at, []];
    default:
      return bad(`There is no command ${pressedKey}; ${prefix} ? shows them all.`);
  }
}

function nameOf(key: Key): string {
  return key.kind === "text" ? key.text : key.kind === "key" ? key.name : "";
}

function backOf(mode: Mode): "bar" | "passthrough" {
  return "back" in mode ? mode.back : "bar";
}

function passthrough(at: Attachment, around: Surroundings): Step {
  if (at.may === "watch") return noted(at, "bad", "You only watch: attach without --watch to type.", around);
  if (at.host.passthrough === at.viewer || at.mode.at === "passthrough") {
    const message: ViewerSays = { type: "passthrough", on: false };
    return [{ ...at, mode: { at: "bar" } }, [{ kind: "say", message }]];
  }
  if (at.host.passthrough !== null) return warned(at, "keyboard", taken(at), around);
  return [{ ...at, mode: { at: "asking" } }, [{ kind: "say", message: { type: "passthrough", on: true } }]];
}

function pressed(at: Attachment, key: Key, around: Surroundings): Step {
  const { mode } = at;
  switch (mode.at) {
    case "help":
      return key.kind === "nothing" ? [at, []] : [{ ...at, mode: { at: mode.back } }, []];
    case "scrollback":
      return scrolled(at, mode.back, key);
    case "bar":
      return at.may === "watch" ? [at, []] : inBar(at, key, around);
    case "asking":
    case "passthrough":
      // In these modes, bytes do not arrive as keys.
      return [at, []];
    default:
      return assertNever(mode);
  }
}

const SCROLLS: Readonly<Record<string, Scroll>> = {
  ...{ Up: "line-up", k: "line-up", Down: "line-down", j: "line-down" },
  ...{ PageUp: "page-up", "C-b": "page-up", PageDown: "page-down", "C-f": "page-down", " ": "page-down" },
  ...{ Home: "top", g: "top", End: "bottom", G: "bottom" },
};

function scrolled(at: Attachment, back: "bar" | "passthrough", key: Key): Step {
  const name = nameOf(key);
  if (name === "q" || name === "Escape" || name === "Enter" || name === "C-c")
    return [{ ...at, mode: { at: back } }, [{ kind: "scroll", how: "bottom" }]];
  const how = Object.hasOwn(SCROLLS, name) ? SCROLLS[name] : undefined;
  return [at, how === undefined ? [] : [{ kind: "scroll", how }]];
}

function inBar(at: Attachment, key: Key, around: Surroundings): Step {
  const answer = pressInBar(at.bar, key);
  switch (answer.kind) {
    case "bar":
      return [wroteOn(at, answer.bar), []];
    case "full":
      return tooMuch(at, around);
    case "unknown": {
      const isEscape = key.kind === "key" && (key.name === "Escape" || key.name === "C-c");
      const words = `The program gets keys in passthrough only: ${around.prefixName} p. ${around.prefixName} d leaves.`;
      return isEscape ? noted(at, "good", words, around) : [at, []];
    }
    case "submit":
      return submitted(at, around);
    default:
      return assertNever(answer.kind);
  }
}

/** The hint about the last text is outdated now, and a warning must be given again for this one. */
function wroteOn(at: Attachment, bar: Bar): Attachment {
  const next: Attachment = { ...at, bar, hint: "", hintUntil: undefined, queued: null, warned: "nothing" };
  return unwarned(next, "obstacle");
}

function submitted(at: Attachment, around: Surroundings): Step {
  const { text, priority } = at.bar;
  if (text.trim() === "") return [at, []];
  const cleared: Attachment = { ...at, bar: emptied(at.bar), warned: "nothing", note: null };
  if (priority === "normal") {
    if (at.host.passthrough !== null && at.host.passthrough !== at.viewer)
      return warned(at, "keyboard", taken(at), around);
    const obstacle = obstacleOf(at);
    if (obstacle !== "nothing" && obstacle !== at.warned)
      return warned({ ...at, warned: obstacle }, "obstacle", WARNINGS[obstacle], around);
    const message: ViewerSays = { type: "submit", text };
    const hint = { hint: "typed into the program", hintUntil: around.now + HINT_MS };
    return [{ ...cleared, ...hint }, [{ kind: "say", message }]];
  }
  if (at.underWay !== null) return warned(at, "under-way", "The last message is still being sent.", around);
  const again = at.unsent?.text === text && at.unsent.priority === priority ? at.unsent.key : undefined;
  const letter: Letter = { text, priority, key: again ?? around.newKey() };
  return [
    { ...cleared, underWay: letter, hint: "sending…", hintUntil: undefined },
    [{ kind: "send", letter }],
  ];
}

const WARNINGS: Readonly<Record<Obstacle, string>> = {
  draft: "A draft is there: Enter again adds to it, Tab queues.",
  dialog: "A dialog is open: Enter again answers it, Tab queues.",
};
