/** How keys and events change an attached person's view. Pure. */
import { assertNever } from "../core/errors.ts";
import type { HostState, ViewerHears } from "../wire/host/host.ts";
import {
  type Attachment,
  type Event,
  HINT_MS,
  noted,
  obstacleOf,
  SHOWN_LATE_MS,
  type Step,
  type Surroundings,
  tooMuch,
  unwarned,
} from "./attachment-state.ts";
import { press } from "./keys/attachment-keys.ts";
import { givenBack } from "./keys/bar.ts";

export function step(at: Attachment, event: Event, around: Surroundings): Step {
  switch (event.kind) {
    case "prefix":
      return [{ ...at, awaiting: "command" }, []];
    case "raw":
      return [at, [{ kind: "keys", bytes: event.bytes }]];
    case "key":
      return press(at, event.key, around);
    case "told":
      return told(at, event.told, around);
    case "daemon":
      return [heardDaemon({ ...at, daemon: event.daemon }, around.now), []];
    case "queued":
      return [heardQueued(at, event.words, event.shortId, around.now), []];
    case "unsent":
      return [unsent(at, event.words, around), []];
    case "overlong":
      return at.may === "watch" ? [at, []] : tooMuch(at, around);
    case "unanswered":
      return unanswered(at, around);
    case "late":
      return [later(at, around.now), []];
    default:
      return assertNever(event);
  }
}

function heardQueued(at: Attachment, words: string, shortId: string, now: number): Attachment {
  const until = now + SHOWN_LATE_MS;
  const told: Attachment = { ...at, underWay: null, unsent: null, hint: words };
  return unwarned({ ...told, queued: { shortId, until }, hintUntil: until }, "under-way");
}

/** A draft that appears after the one the person was warned of is a new one. */
function heardDaemon(heard: Attachment, now: number): Attachment {
  const at = stillQueued(heard, now);
  return obstacleOf(at) === at.warned ? at : unwarned({ ...at, warned: "nothing" }, "obstacle");
}

/** The hint that a message waits ends when the message no longer does. */
function stillQueued(at: Attachment, now: number): Attachment {
  const { queued, daemon } = at;
  if (queued === null || daemon.at !== "there" || now < queued.until) return at;
  if (daemon.session.deliveries.some(({ shortId }) => shortId === queued.shortId)) return at;
  return { ...at, queued: null, hint: `#${queued.shortId} is no longer queued`, hintUntil: now + HINT_MS };
}

function later(at: Attachment, now: number): Attachment {
  // A person who returns after a while and presses Enter has not read the warning.
  const unnoted: Attachment =
    at.note !== null && at.note.until <= now ? { ...at, note: null, warned: "nothing" } : at;
  const isOld = unnoted.hintUntil !== undefined && unnoted.hintUntil <= now;
  if (isOld && unnoted.queued !== null) return stillQueued({ ...unnoted, hintUntil: undefined }, now);
  return isOld ? { ...unnoted, hint: "", hintUntil: undefined } : unnoted;
}

function told(at: Attachment, said: ViewerHears, around: Surroundings): Step {
  switch (said.type) {
    case "state":
      return [heardState(at, said.viewer, said.state), []];
    case "announce":
      return noted(at, "announcement", said.text, around);
    case "refused":
      return refused(at, said.what, said.message, around);
    case "resize":
      return [at, []];
    default:
      // A newer host may send messages that this viewer does not know.
      return [at, []];
  }
}

function heardState(at: Attachment, viewer: number, host: HostState): Attachment {
  const owned = host.passthrough === viewer;
  const seen: Attachment = { ...at, host, viewer };
  const next = host.passthrough === null || owned ? unwarned(seen, "keyboard") : seen;
  if (owned && at.mode.at === "asking") return { ...next, mode: { at: "passthrough" } };
  if (owned) return next;
  if (at.mode.at === "passthrough") return { ...next, mode: { at: "bar" } };
  if ("back" in at.mode) return { ...next, mode: { ...at.mode, back: "bar" } };
  return next;
}

function refused(at: Attachment, what: string, message: string, around: Surroundings): Step {
  if (what === "passthrough") {
    const next: Attachment = at.mode.at === "asking" ? { ...at, mode: { at: "bar" } } : at;
    return noted(next, "bad", message, around);
  }
  if (what !== "submit") return [at, []];
  const last = at.bar.said.at(-1) ?? "";
  const bar = givenBack(at.bar, last, "normal");
  const words = bar === at.bar ? `${message} Your text was not typed; Up brings it back.` : message;
  return noted({ ...at, bar, hint: "" }, "bad", words, around);
}

function unsent(at: Attachment, words: string, around: Surroundings): Attachment {
  const letter = at.underWay;
  if (letter === null) return at;
  const bar = givenBack(at.bar, letter.text, letter.priority);
  const where = bar === at.bar ? " Up brings your text back." : "";
  const [next] = noted(
    { ...at, bar, hint: "", underWay: null, unsent: letter },
    "bad",
    words + where,
    around,
  );
  return next;
}

/** A host that hangs must not block the keys that lead out. */
function unanswered(at: Attachment, around: Surroundings): Step {
  if (at.mode.at !== "asking") return [at, []];
  const [next] = noted({ ...at, mode: { at: "bar" } }, "bad", "The terminal does not answer.", around);
  return [next, [{ kind: "say", message: { type: "passthrough", on: false } }]];
}
