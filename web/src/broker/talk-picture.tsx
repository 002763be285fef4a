/** Who writes to whom: a picture, and the same numbers as a table. */
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Talk } from "../../../src/wire/shapes/broker.ts";
import type { Told } from "../connection/requests.ts";
import { LinkToAgent } from "../places/link-to-agent.tsx";
import { addressOf } from "../places/place.ts";
import { goTo } from "../places/route.ts";
import { TEXT } from "../strings.ts";
import { now } from "../ui/clock.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { momentInWords } from "../ui/moment.ts";
import { isNarrow } from "../ui/narrow.ts";
import { sinceInWords } from "../ui/since.ts";
import { agentOf, DEAD_LETTERS, kindOf, nameOf } from "./parties.ts";
import { byWeight, type Edge, type Frame, isFolded, type Node, pictureOf } from "./picture.ts";
import {
  allTalks,
  type Between,
  messagesBetween,
  otherTalks,
  type Pair,
  selected,
  talkedUntil,
  WINDOW_NAMES,
  WINDOWS,
  windowName,
} from "./state.ts";

const WIDE: Frame = { width: 760, height: 560, margin: 170, mostNodes: 50, mostEdges: 80 };
const NARROW: Frame = { width: 390, height: 420, margin: 104, mostNodes: 12, mostEdges: 30 };
const NAME_CHARACTERS = { wide: 20, narrow: 12 };
/** Lines with a number beside them; more would lie on each other. */
const MOST_NUMBERS = 16;
const TABLE_ROWS = 25;
/** Messages behind a line, before all are asked for. */
const FEW_BETWEEN = 8;

const picture = computed(() => pictureOf(allTalks.value, isNarrow.value ? NARROW : WIDE));
const persons = computed(() => picture.value.nodes.filter(({ kind }) => kind === "person").length);
const isWhole = signal(false);

export function TalkPicture() {
  const { broker: text } = TEXT;
  const rows = allTalks.value.toSorted(byWeight);
  const { others, since } = otherTalks.value;
  const from = since ?? startOf();
  return (
    <section class="panel" aria-labelledby="talks-title">
      <div class="panel-head">
        <h3 id="talks-title">{text.talks}</h3>
        <span class="quiet counted">
          {from !== undefined && text.talkedSince(momentInWords(from, now.value))}
        </span>
        <fieldset class="windows">
          <legend class="unseen">{text.window}</legend>
          {WINDOW_NAMES.map((name) => (
            <label key={name}>
              <input
                type="radio"
                name="window"
                checked={windowName.value === name}
                onChange={() => {
                  windowName.value = name;
                }}
              />
              {text.windows[name]}
            </label>
          ))}
        </fieldset>
      </div>
      {talkedUntil.value !== undefined && rows.length === 0 && (
        <div class="teach">
          <p>{text.noTalks}</p>
          <pre>{TEXT.empty.sendCommand}</pre>
        </div>
      )}
      {rows.length > 0 && (
        <div class="talks">
          <Drawing />
          <TalkTable rows={rows} others={others} />
        </div>
      )}
      {selected.value !== undefined && selected.value.to !== DEAD_LETTERS && <Messages of={selected.value} />}
    </section>
  );
}

/** Undefined if there is no beginning. */
function startOf(): number | undefined {
  const within = WINDOWS[windowName.value];
  const until = talkedUntil.value;
  return within === undefined || until === undefined ? undefined : until - within;
}

function Drawing() {
  const { broker: text } = TEXT;
  const { nodes, edges, left } = picture.value;
  const { width, height } = picture.value;
  const busiest = edges.filter((edge) => !isFolded(edge)).toSorted(byWeight);
  const numbered = new Set(busiest.slice(0, MOST_NUMBERS));
  return (
    <div class="drawing">
      {/* The table has the same numbers, in words. */}
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" focusable="false">
        {edges.map((edge) => (
          <Line key={`${edge.from} ${edge.to}`} of={edge} />
        ))}
        {nodes.map((node) => (
          <Dot key={node.party} of={node} />
        ))}
        {edges.map((edge) =>
          numbered.has(edge) ? (
            <text key={`${edge.from} ${edge.to}`} class="number" x={edge.middle.x} y={edge.middle.y}>
              {edge.messages}
            </text>
          ) : null,
        )}
      </svg>
      {left.edges > 0 && <p class="quiet">{text.leftOut(left.edges, left.messages)}</p>}
    </div>
  );
}

function Line({ of: edge }: { readonly of: Edge }) {
  const isSelected = selected.value?.from === edge.from && selected.value.to === edge.to;
  const shape = (
    <>
      <title>{TEXT.broker.edge(wordsFor(edge.from), wordsFor(edge.to), edge.messages)}</title>
      <path class="line" d={edge.line} stroke-width={edge.width} />
      <path class="hit" d={edge.line} />
      <path class="arrow" d={edge.arrow} />
    </>
  );
  const kind = isFolded(edge) ? "folded" : edge.to === DEAD_LETTERS ? "dead" : "";
  const looks = `edge ${kind} ${isSelected ? "selected" : ""}`;
  if (isFolded(edge)) return <g class={looks}>{shape}</g>;
  const choose = (event: Event) => {
    event.preventDefault();
    select(isSelected ? undefined : edge);
  };
  return (
    <a class={looks} href={addressOf({ at: "page", page: "broker" })} tabindex={-1} onClick={choose}>
      {shape}
    </a>
  );
}

function Dot({ of: node }: { readonly of: Node }) {
  const { broker: text } = TEXT;
  const agent = agentOf(node.party);
  const whole = wordsFor(node.party, node.parties);
  const shape = (
    <>
      <title>{text.node(whole, node.sent, node.received)}</title>
      {node.kind === "agent" || node.kind === "person" ? (
        <circle cx={node.x} cy={node.y} r={node.radius} />
      ) : (
        <rect
          x={node.x - node.radius}
          y={node.y - node.radius}
          width={2 * node.radius}
          height={2 * node.radius}
          rx="3"
        />
      )}
      <text
        x={node.label.x}
        y={node.label.y}
        text-anchor={node.label.anchor}
        dominant-baseline="middle"
        {...(node.label.turn === 0
          ? {}
          : { transform: `rotate(${node.label.turn} ${node.label.x} ${node.label.y})` })}
      >
        {shortened(whole)}
      </text>
    </>
  );
  const looks = `node ${node.kind}`;
  if (agent === undefined) return <g class={looks}>{shape}</g>;
  const open = (event: MouseEvent) => {
    event.preventDefault();
    goTo({ at: "agent", name: agent });
  };
  return (
    <a class={looks} href={addressOf({ at: "agent", name: agent })} tabindex={-1} onClick={open}>
      {shape}
    </a>
  );
}

function shortened(name: string): string {
  const most = isNarrow.value ? NAME_CHARACTERS.narrow : NAME_CHARACTERS.wide;
  const characters = [...name];
  return characters.length <= most ? name : `${characters.slice(0, most - 1).join("")}…`;
}

function wordsFor(party: string, count = 1): string {
  const { broker: text } = TEXT;
  const kind = kindOf(party);
  if (kind === "dead-letters") return text.deadLetters;
  if (kind === "others") return text.others(count);
  if (kind === "person" && persons.value <= 1) return text.you;
  return nameOf(party);
}

function select(pair: Pair | undefined): void {
  selected.value = pair === undefined ? undefined : { from: pair.from, to: pair.to };
}

function TalkTable({
  rows,
  others,
}: {
  readonly rows: readonly Talk[];
  readonly others: { readonly messages: number };
}) {
  const { broker: text } = TEXT;
  const shown = isWhole.value ? rows : rows.slice(0, TABLE_ROWS);
  return (
    <div class="table">
      <table>
        <caption class="unseen">{text.talks}</caption>
        <thead>
          <tr>
            <th scope="col">{text.columns.from}</th>
            <th scope="col">{text.columns.to}</th>
            <th scope="col" class="numeric">
              {text.columns.messages}
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((talk) => (
            <Row key={`${talk.from} ${talk.to}`} of={talk} />
          ))}
        </tbody>
      </table>
      {rows.length > shown.length && (
        <button
          type="button"
          onClick={() => {
            isWhole.value = true;
          }}
        >
          {text.allPairs(rows.length)}
        </button>
      )}
      {others.messages > 0 && <p class="quiet">{text.otherPairs(others.messages)}</p>}
    </div>
  );
}

function Row({ of: talk }: { readonly of: Talk }) {
  const { broker: text } = TEXT;
  const isSelected = selected.value?.from === talk.from && selected.value.to === talk.to;
  return (
    <tr class={isSelected ? "selected" : ""}>
      <td>
        <Party of={talk.from} />
      </td>
      <td>
        <Party of={talk.to} />
      </td>
      <td class="numeric">
        <button
          type="button"
          class="plain"
          aria-pressed={isSelected}
          aria-label={text.show(wordsFor(talk.from), wordsFor(talk.to), talk.messages)}
          onClick={() => select(isSelected ? undefined : talk)}
        >
          {talk.messages}
        </button>
      </td>
    </tr>
  );
}

function Party({ of: party }: { readonly of: string }) {
  const agent = agentOf(party);
  if (agent !== undefined) return <LinkToAgent name={agent}>{agent}</LinkToAgent>;
  return <span>{wordsFor(party)}</span>;
}

const between = signal<{ readonly pair: Pair; readonly found: readonly Between[] | Told } | undefined>(
  undefined,
);

const isAll = signal(false);

/** The messages behind one line of the picture. */
function Messages({ of: pair }: { readonly of: Pair }) {
  const { broker: text } = TEXT;
  useEffect(() => {
    let isOver = false;
    isAll.value = false;
    void messagesBetween(pair).then((found) => {
      if (!isOver) between.value = { pair, found };
    });
    return () => {
      isOver = true;
    };
  }, [pair]);
  const known = between.value?.pair === pair ? between.value.found : undefined;
  return (
    <section class="between" aria-labelledby="between-title">
      <div class="panel-head">
        <h4 id="between-title">{text.between(wordsFor(pair.from), wordsFor(pair.to))}</h4>
        <button type="button" onClick={() => select(undefined)}>
          {TEXT.details.close}
        </button>
      </div>
      {known === undefined ? (
        <p class="nothing">{TEXT.lazy.loading}</p>
      ) : "code" in known ? (
        <ErrorNote {...known} />
      ) : (
        <>
          {known.length === 0 && <p class="nothing">{text.noneBetween}</p>}
          <ul class="letters">
            {(isAll.value ? known : known.slice(0, FEW_BETWEEN)).map((one) => (
              <li key={one.short_id}>
                <p class="meta quiet">
                  #{one.short_id} · {sinceInWords(one.at, now.value)} · {one.state}
                </p>
                <p class="said">{one.body}</p>
              </li>
            ))}
          </ul>
          {known.length > FEW_BETWEEN && !isAll.value && (
            <button
              type="button"
              onClick={() => {
                isAll.value = true;
              }}
            >
              {text.allBetween(known.length)}
            </button>
          )}
        </>
      )}
    </section>
  );
}
