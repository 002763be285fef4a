/** What the page shows, as signals. However often the board changes, it is drawn once a frame, and never while hidden. */
import { batch, computed, signal } from "@preact/signals";
import type { BoardFrame } from "../../../src/wire/shapes/board.ts";
import type { Link } from "../connection/link.ts";
import { agentsOf, apply, type BoardState } from "./board.ts";
import { type Homes, type Move, moved } from "./moves.ts";
import { oncePerFrame } from "./once-per-frame.ts";

export const link = signal<Link>({ at: "connecting" });
/** What came of a link that did not log in a browser which is logged in anyway. */
export const linkNote = signal("");
export const isLive = computed(() => link.value.at === "live");

const shown = signal<BoardState | undefined>(undefined);
export const isKnown = computed(() => shown.value !== undefined);
const NOBODY: BoardState["agents"] = new Map();
export const agentsByName = computed(() => shown.value?.agents ?? NOBODY);
export const agents = computed(() => (shown.value === undefined ? [] : agentsOf(shown.value)));
export const attention = computed(() => shown.value?.attention ?? []);
export const counts = computed(() => shown.value?.counts);
export const turns = computed(() => shown.value?.turns);
export const bridges = computed(() => shown.value?.bridges);
export const broker = computed(() => shown.value?.broker);
export const health = computed(() => shown.value?.health);

/** What is so; what is shown follows with the next frame. */
let newest: BoardState | undefined;
// A hidden page gets no frames: what changes meanwhile is drawn once, when it is seen again.
const draw = oncePerFrame(requestAnimationFrame, () => {
  const { homes: now, moves } = moved(homes, newest?.agents ?? NOBODY);
  homes = now;
  batch(() => {
    shown.value = newest;
    if (moves.length > 0) followMoves(moves);
  });
});
let homes: Homes = new Map();
let followMoves: (moves: readonly Move[]) => void = () => {};

/** Called together with the board on which agents have other names, so that nobody looks for the old ones on it. */
export function onMoves(follow: (moves: readonly Move[]) => void): void {
  followMoves = follow;
}

export function take(frame: BoardFrame): "whole" | "gap" {
  const applied = apply(newest, frame);
  if (applied.kind === "gap") return "gap";
  newest = applied.board;
  draw();
  return "whole";
}

/** The page was logged out: what it knew is not for who looks at it now. */
export function forgetBoard(): void {
  newest = undefined;
  // Not with the next frame: a hidden page gets none.
  shown.value = undefined;
  linkNote.value = "";
}
