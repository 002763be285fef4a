/** Everybody who is there. */
import { agents, isKnown } from "../board/store.ts";
import { PlaceLink } from "../places/place-link.tsx";
import { TEXT } from "../strings.ts";
import { AgentList } from "./agent-list.tsx";
import { GROUPINGS, type Grouping } from "./rows.ts";
import { filter, foundCount, groupBy, grouping, rows } from "./shown.ts";

export const FILTER_ID = "filter";

export function Overview() {
  const { overview } = TEXT;
  return (
    <section class="overview" aria-labelledby="agents-title">
      <div class="bar">
        <h2 id="agents-title">{TEXT.agents}</h2>
        <span class="quiet counted" role="status">
          {isKnown.value && overview.counted(countOf(), agents.value.length)}
        </span>
        <input
          id={FILTER_ID}
          type="search"
          placeholder={overview.filter}
          aria-label={overview.filter}
          autocomplete="off"
          spellcheck={false}
          value={filter}
          onInput={(event) => {
            filter.value = event.currentTarget.value;
          }}
        />
        <label class="grouping">
          <span class="quiet">{overview.groupBy}</span>
          <select value={grouping} onChange={(event) => groupBy(event.currentTarget.value as Grouping)}>
            {GROUPINGS.map((one) => (
              <option key={one} value={one}>
                {overview.groupings[one]}
              </option>
            ))}
          </select>
        </label>
        <StartLink />
      </div>
      {isKnown.value && agents.value.length === 0 && <Teaching />}
      {agents.value.length > 0 && foundCount.value === 0 && (
        <p class="nothing">
          {overview.nothingFound}{" "}
          <button
            type="button"
            onClick={() => {
              filter.value = "";
            }}
          >
            {overview.clear}
          </button>
        </p>
      )}
      <AgentList />
    </section>
  );
}

/** Agents, not rows: one may have several sessions. */
function countOf(): number {
  return new Set(rows.value.flatMap((row) => (row.kind === "agent" ? row.agent.name : []))).size;
}

function Teaching() {
  const { title, run, runCommand, found, sendCommand, learn } = TEXT.empty;
  return (
    <div class="teaching">
      <h3>{title}</h3>
      <p>{run}</p>
      <pre>{runCommand}</pre>
      <p>{found}</p>
      <pre>{sendCommand}</pre>
      <p class="quiet">{learn}</p>
    </div>
  );
}

function StartLink() {
  return (
    <PlaceLink class="button" to={{ at: "page", page: "start" }} isHere={false}>
      {TEXT.pages.start}
    </PlaceLink>
  );
}
