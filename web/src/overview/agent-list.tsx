/** All rows, of which only those in view are drawn: ten thousand cost no more than a screenful. */
import { useComputed, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { oncePerFrame } from "../board/once-per-frame.ts";
import { TEXT } from "../strings.ts";
import { isNarrow } from "../ui/narrow.ts";
import { AgentLine } from "./agent-row.tsx";
import { folderParts, type GroupRow, type Row } from "./rows.ts";
import { rows } from "./shown.ts";
import { type Drawn, drawnIn, layoutOf, offsetOf, topToReveal, totalHeight } from "./window.ts";

/** The style sheet fits their content into them. */
const HEIGHTS = {
  wide: { agent: 40, group: 34 },
  narrow: { agent: 62, group: 36 },
} as const;

const heightOf = (row: Row) => HEIGHTS[isNarrow.value ? "narrow" : "wide"][row.kind];

export function AgentList() {
  const list = useRef<HTMLUListElement>(null);
  const layout = useComputed(() => layoutOf(rows.value, heightOf));
  const drawn = useSignal<Drawn>({ first: 0, end: 0 });
  const look = () => {
    if (list.current === null) return;
    const seen = drawnIn(layout.value, viewOf(list.current));
    const { first, end } = drawn.peek();
    if (seen.first !== first || seen.end !== end) drawn.value = seen;
  };
  useLayoutEffect(look);
  useLayoutEffect(() => {
    const soon = oncePerFrame(requestAnimationFrame, look);
    addEventListener("scroll", soon, { passive: true });
    addEventListener("resize", soon);
    return () => {
      removeEventListener("scroll", soon);
      removeEventListener("resize", soon);
    };
  }, []);
  const { first, end } = drawn.value;
  const all = rows.value;
  return (
    <ul ref={list} class="list" aria-label={TEXT.agents} style={{ height: `${totalHeight(layout.value)}px` }}>
      {all.slice(first, end).map((row, index) => (
        <li
          key={row.key}
          class={`row ${row.kind}`}
          aria-setsize={all.length}
          aria-posinset={first + index + 1}
          style={{ top: `${offsetOf(layout.value, first + index)}px`, height: `${heightOf(row)}px` }}
        >
          {row.kind === "agent" ? <AgentLine row={row} /> : <GroupTitle row={row} />}
        </li>
      ))}
    </ul>
  );
}

function GroupTitle({ row }: { readonly row: GroupRow }) {
  const [name, before] = folderParts(row.title);
  return (
    <h3 title={row.title}>
      <span class="title">{name}</span> <span class="quiet">{row.count}</span>
      <span class="quiet before">{before}</span>
    </h3>
  );
}

/** What of the list is in view, below what stays at the top of the page: on a phone, only its head. */
function viewOf(list: HTMLElement): { readonly top: number; readonly height: number } {
  const staying = isNarrow.value ? [".head"] : [".head", ".bar"];
  const heights = staying.map((one) => document.querySelector(one)?.clientHeight ?? 0);
  const head = heights.reduce((sum, height) => sum + height, 0);
  return { top: head - list.getBoundingClientRect().top, height: innerHeight - head };
}

/** Scrolls so that this row is in view. */
export function revealRow(key: string): void {
  const list = document.querySelector<HTMLElement>(".list");
  const index = rows.peek().findIndex((row) => row.key === key);
  if (list === null || index === -1) return;
  const view = viewOf(list);
  const top = topToReveal(layoutOf(rows.peek(), heightOf), index, view);
  if (top !== undefined) scrollBy({ top: top - view.top, behavior: "instant" });
}
