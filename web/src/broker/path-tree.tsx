/** Who hears what: a tree that is walked with the arrows. */
import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { goTo } from "../places/route.ts";
import { TEXT } from "../strings.ts";
import { now } from "../ui/clock.ts";
import { momentInWords } from "../ui/moment.ts";
import { type Hearer, type Line, linesOf, type PathLine } from "./paths.ts";
import {
  countedSince,
  filter,
  foundPaths,
  hasMore,
  isHeardKnown,
  messageCount,
  pathCounts,
  subscriptionCount,
  tree,
} from "./state.ts";
import { treeStep } from "./tree-steps.ts";

/** Lines that are drawn; the filter finds the others. */
const MOST_LINES = 400;
/** Below this, everything is open from the start. */
const FEW_PATHS = 60;

const toggled = signal<ReadonlySet<string>>(new Set());
const focused = signal<string | undefined>(undefined);

function isOpen(path: string): boolean {
  const isOpenAtFirst = filter.value !== "" || foundPaths.value.length <= FEW_PATHS || !path.includes("/");
  return toggled.value.has(path) !== isOpenAtFirst;
}

function toggle({ node }: PathLine): void {
  const next = new Set(toggled.value);
  if (!next.delete(node.path)) next.add(node.path);
  toggled.value = next;
}

export function PathTree() {
  const { broker: text } = TEXT;
  const all = linesOf(tree.value, isOpen);
  const lines = all.slice(0, MOST_LINES);
  const since = countedSince.value;
  return (
    <section class="panel" aria-labelledby="heard-title">
      <div class="panel-head">
        <h3 id="heard-title">{text.heard}</h3>
        <span class="quiet counted">
          {since !== undefined && text.counted(messageCount.value, momentInWords(since, now.value))}
        </span>
        <input
          id="filter"
          type="search"
          placeholder={text.filter}
          aria-label={text.filter}
          autocomplete="off"
          spellcheck={false}
          value={filter}
          onInput={(event) => {
            filter.value = event.currentTarget.value;
          }}
        />
      </div>
      {lines.length > 0 && <Tree lines={lines} />}
      {isHeardKnown.value && lines.length === 0 && filter.value !== "" && (
        <p class="nothing">{text.nothingFound}</p>
      )}
      {all.length > lines.length && <p class="quiet">{text.moreLines(all.length - lines.length)}</p>}
      {hasMore.value && <p class="quiet">{text.moreSubscriptions(subscriptionCount.value)}</p>}
      {isHeardKnown.value && subscriptionCount.value === 0 && filter.value === "" && (
        <div class="teach">
          <p>{text.noSubscriptions}</p>
          <pre>{text.subscribeCommand}</pre>
        </div>
      )}
    </section>
  );
}

function Tree({ lines }: { readonly lines: readonly Line[] }) {
  const list = useRef<HTMLDivElement>(null);
  const here = lines.find(({ key }) => key === focused.value)?.key ?? lines[0]?.key;
  // At once, not with the next drawing: the next key may come before it.
  const focus = (key: string) => {
    const line = list.current?.children[lines.findIndex((one) => one.key === key)];
    if (line instanceof HTMLElement) line.focus();
  };
  const act = (line: Line) => {
    focused.value = line.key;
    const agent = line.kind === "path" ? line.own : line.hearer.agent;
    if (line.kind === "path" && line.isOpen !== undefined) toggle(line);
    else if (agent !== undefined) goTo({ at: "agent", name: agent });
  };
  const press = (event: KeyboardEvent, line: Line) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") act(line);
    else {
      const step = treeStep(lines, line.key, event.key);
      if (step === undefined) return;
      if (step.kind === "toggle" && line.kind === "path") toggle(line);
      else if (step.kind === "go") focus(step.key);
    }
    event.preventDefault();
  };
  return (
    <div class="tree" role="tree" aria-labelledby="heard-title" ref={list}>
      {lines.map((line) => (
        <div
          key={line.key}
          role="treeitem"
          class={`level-${Math.min(line.level, 8)} ${line.kind}`}
          tabIndex={line.key === here ? 0 : -1}
          aria-level={line.level}
          aria-posinset={line.place}
          aria-setsize={line.of}
          {...(line.kind === "path" && line.isOpen !== undefined ? { "aria-expanded": line.isOpen } : {})}
          onClick={() => act(line)}
          onKeyDown={(event) => press(event, line)}
          onFocus={() => {
            focused.value = line.key;
          }}
        >
          {line.kind === "path" ? <Path line={line} /> : <HearerWords of={line.hearer} />}
        </div>
      ))}
    </div>
  );
}

function Path({ line }: { readonly line: PathLine }) {
  const { broker: text } = TEXT;
  const { node, isOpen: open, own } = line;
  const hidden = open === false ? node.hearers.length - (own === undefined ? 0 : 1) : 0;
  const count = pathCounts.value.get(node.path) ?? 0;
  return (
    <>
      <span class="twist" aria-hidden="true">
        {open === undefined ? "" : open ? "▾" : "▸"}
      </span>
      <span class="segment">{node.segment}</span>
      {own !== undefined && <span class="quiet">{text.how.address}</span>}
      {hidden > 0 && <span class="quiet">{text.hearers(hidden)}</span>}
      {count > 0 && <span class="count-of">{text.messages(count)}</span>}
    </>
  );
}

function HearerWords({ of }: { readonly of: Hearer }) {
  const { broker: text } = TEXT;
  const { agent, session, how, count } = of;
  const name = session === undefined ? agent : text.sessionOf(agent ?? "", session);
  return (
    <>
      {name !== undefined && <span class="name">{name}</span>}
      <span class="quiet">{how === "listening" ? text.listening(count ?? 1) : text.how[how]}</span>
    </>
  );
}
