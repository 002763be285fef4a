/** The messages in the order of time, the newest at the end. Only those in view are drawn; one can be opened. */
import { useComputed, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { oncePerFrame } from "../board/once-per-frame.ts";
import { type Drawn, drawnIn, layoutOf, offsetOf, topToReveal, totalHeight } from "../overview/window.ts";
import { TEXT } from "../strings.ts";
import { isNarrow } from "../ui/narrow.ts";
import { MessageRow } from "./message-row.tsx";
import type { Talk } from "./talk.ts";
import type { Entry } from "./timeline.ts";

/** The style sheet fits their content into them. */
const HEIGHTS = { wide: { folded: 70, open: 410 }, narrow: { folded: 90, open: 460 } } as const;
/** So near to the end, a person follows what comes. */
const NEAR_PX = 40;
/** So near to the beginning, older ones are asked for. */
const OLDER_WITHIN_PX = 600;

interface MessageListProps {
  readonly talk: Talk;
  answer(shortId: string): void;
}

export function MessageList({ talk, answer }: MessageListProps) {
  const box = useRef<HTMLDivElement>(null);
  const opened = useSignal<string | undefined>(undefined);
  const drawn = useSignal<Drawn>({ first: 0, end: 0 });
  const follows = useSignal(true);
  const heightOf = ({ id }: Entry) =>
    HEIGHTS[isNarrow.value ? "narrow" : "wide"][id === opened.value ? "open" : "folded"];
  const layout = useComputed(() => layoutOf(talk.timeline.value.entries, heightOf));
  const anchor = useRef<{ readonly id: string; readonly offset: number } | undefined>(undefined);
  const look = () => {
    const { current } = box;
    if (current === null) return;
    const { scrollTop: top, clientHeight: height } = current;
    const seen = drawnIn(layout.value, { top, height });
    const { first, end } = drawn.peek();
    if (seen.first !== first || seen.end !== end) drawn.value = seen;
    const { entries } = talk.timeline.peek();
    const firstSeen = entries[drawnIn(layout.value, { top, height }, 0).first];
    anchor.current =
      firstSeen === undefined
        ? undefined
        : { id: firstSeen.id, offset: top - offsetOf(layout.value, entries.indexOf(firstSeen)) };
    if (top < OLDER_WITHIN_PX && talk.isKnown.peek()) void talk.loadOlder();
    void talk.renew(entries.slice(seen.first, seen.end));
  };
  // What is read stays where it is, whatever comes before it; whoever is at the end stays at the end.
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null) return;
    const { entries } = talk.timeline.value;
    if (follows.peek()) current.scrollTop = current.scrollHeight;
    else if (anchor.current !== undefined) {
      const index = entries.findIndex(({ id }) => id === anchor.current?.id);
      if (index !== -1) current.scrollTop = offsetOf(layout.value, index) + anchor.current.offset;
    }
    look();
  }, [talk.timeline.value, isNarrow.value]);
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null) return;
    const soon = oncePerFrame(requestAnimationFrame, look);
    let height = current.clientHeight;
    // Where a person wants to be, only a scroll tells, and not while the place for the list changes its height.
    const scrolled = () => {
      const { scrollTop, clientHeight, scrollHeight } = current;
      if (clientHeight === height) follows.value = scrollHeight - scrollTop - clientHeight < NEAR_PX;
      soon();
    };
    // What is below may grow: whoever is at the end stays there.
    const sizes = new ResizeObserver(() => {
      height = current.clientHeight;
      if (follows.peek()) current.scrollTop = current.scrollHeight;
      soon();
    });
    sizes.observe(current);
    current.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      sizes.disconnect();
      current.removeEventListener("scroll", scrolled);
    };
  }, [talk]);
  useLayoutEffect(look);
  const open = (id: string) => {
    opened.value = opened.value === id ? undefined : id;
    follows.value = false;
    requestAnimationFrame(() => reveal(id));
  };
  /** Its beginning, if it is higher than the place for the list. */
  const reveal = (id: string) => {
    const { current } = box;
    const index = talk.timeline.peek().entries.findIndex((one) => one.id === id);
    if (current === null || index === -1) return;
    const { scrollTop, clientHeight } = current;
    const top = topToReveal(layout.value, index, { top: scrollTop, height: clientHeight });
    if (top !== undefined) current.scrollTop = Math.min(top, offsetOf(layout.value, index));
  };
  const { entries } = talk.timeline.value;
  const { first, end } = drawn.value;
  return (
    <div class="timeline-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a place that scrolls must be reached by keys. */}
      <section class="timeline" ref={box} tabIndex={0} aria-label={TEXT.conversation.title(talk.name)}>
        {entries.length === 0 && (
          <p class="nothing">
            {talk.isKnown.value ? TEXT.conversation.nothing(talk.name) : TEXT.conversation.loading}
          </p>
        )}
        <ol style={{ height: `${totalHeight(layout.value)}px` }}>
          {entries.slice(first, end).map((entry, index) => (
            <li
              key={entry.id}
              aria-setsize={entries.length}
              aria-posinset={first + index + 1}
              style={{ top: `${offsetOf(layout.value, first + index)}px`, height: `${heightOf(entry)}px` }}
            >
              <MessageRow
                entry={entry}
                talk={talk}
                isOpen={entry.id === opened.value}
                open={() => open(entry.id)}
                answer={answer}
              />
            </li>
          ))}
        </ol>
      </section>
      {!follows.value && (
        <button
          type="button"
          class="newer"
          onClick={() => box.current?.scrollTo({ top: box.current.scrollHeight, behavior: "instant" })}
        >
          {TEXT.conversation.newer}
        </button>
      )}
    </div>
  );
}
