/** Automatic turns: the switch, what runs, what was spent, and what became of the last ones. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { OPEN_TURN_STATES } from "../../../src/core/turns/turn.ts";
import { isLive } from "../board/store.ts";
import { LinkToAgent } from "../places/link-to-agent.tsx";
import { TEXT } from "../strings.ts";
import { now } from "../ui/clock.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { momentInWords } from "../ui/moment.ts";
import { sinceInWords } from "../ui/since.ts";
import {
  type Budget,
  note,
  openTurns,
  refused,
  runNow,
  type ShownTurn,
  standing,
  switchTurns,
  type TurnsAnswer,
  turnAgent,
  turnedOff,
} from "./turns-state.ts";

const isSure = signal(false);

export function TurnsPage() {
  useEffect(() => openTurns(), []);
  const known = standing.value;
  return (
    <section class="page upkeep" aria-labelledby="page-title">
      <h2 id="page-title">{TEXT.pages.turns}</h2>
      {known !== undefined && <Known of={known} />}
      {known === undefined && refused.value !== undefined && <ErrorNote {...refused.value} />}
      {known === undefined && refused.value === undefined && <p class="nothing">{TEXT.lazy.loading}</p>}
    </section>
  );
}

function Known({ of: known }: { readonly of: TurnsAnswer }) {
  const open = known.turns.filter(isOpen);
  const over = known.turns.filter((turn) => !isOpen(turn));
  const isUnused = known.turns.length === 0 && known.budgets.length === 0;
  return (
    <>
      <Switch of={known.switch} open={open.length} />
      <div role="status" class="told">
        {note.value !== "" && <p class="note">{note}</p>}
      </div>
      {refused.value !== undefined && <ErrorNote {...refused.value} />}
      {isUnused && turnedOff.value.length === 0 ? (
        <Teaching />
      ) : (
        <>
          <Running turns={open} />
          <Waiting of={known.waiting} />
          <Budgets of={known.budgets} />
          <Last turns={over} />
        </>
      )}
    </>
  );
}

function isOpen({ state }: ShownTurn): boolean {
  return OPEN_TURN_STATES.some((one) => one === state);
}

function Switch({
  of: { off, since, by },
  open,
}: {
  readonly of: TurnsAnswer["switch"];
  readonly open: number;
}) {
  const { turns: text } = TEXT;
  const flip = () => {
    if (!off && open > 0 && !isSure.value) isSure.value = true;
    else {
      isSure.value = false;
      switchTurns(off);
    }
  };
  return (
    <section class="panel" aria-labelledby="switch-title">
      <div class="panel-head">
        <h3 id="switch-title">{off ? text.off : text.on}</h3>
        {off && since !== undefined && (
          <span class="quiet counted">{text.offSince(sinceInWords(since, now.value), by ?? "")}</span>
        )}
        <button type="button" class={off ? "primary" : ""} disabled={!isLive.value} onClick={flip}>
          {off ? text.start : text.stop}
        </button>
      </div>
      {isSure.value && !off && (
        <fieldset class="question" aria-label={text.stop}>
          <p>{text.stopSure(open)}</p>
          <div class="buttons">
            <button type="button" class="primary" disabled={!isLive.value} onClick={flip}>
              {text.stop}
            </button>
            <button
              type="button"
              onClick={() => {
                isSure.value = false;
              }}
            >
              {TEXT.actions.keep}
            </button>
          </div>
        </fieldset>
      )}
    </section>
  );
}

function Teaching() {
  const { turns: text } = TEXT;
  return (
    <section class="panel" aria-labelledby="teaching-title">
      <h3 id="teaching-title">{text.none}</h3>
      <div class="teach">
        <p>{text.teach}</p>
        <pre>{text.teachCommand}</pre>
        <p>{text.teachThen}</p>
        <pre>{text.teachSend}</pre>
      </div>
    </section>
  );
}

function Running({ turns }: { readonly turns: readonly ShownTurn[] }) {
  const { turns: text } = TEXT;
  return (
    <section class="panel" aria-labelledby="running-title">
      <h3 id="running-title">{text.running}</h3>
      {turns.length === 0 && <p class="nothing">{text.noneRuns}</p>}
      <ul class="letters">
        {turns.map((turn) => (
          <li key={turn.id}>
            <p class="meta">
              <LinkToAgent name={turn.agent}>{turn.agent}</LinkToAgent>{" "}
              <span class="chip">{text.states[turn.state]}</span>{" "}
              <span class="quiet">
                {TEXT.since(sinceInWords(turn.started_at, now.value))} · {turn.runner} ·{" "}
                {text.about(turn.messages.length)}
                {turn.again && ` · ${text.again}`}
              </span>
            </p>
            {turn.doing !== undefined && <p class="said">{turn.doing}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Waiting({ of: waiting }: { readonly of: TurnsAnswer["waiting"] }) {
  const { turns: text } = TEXT;
  if (waiting.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="waiting-title">
      <h3 id="waiting-title">{text.waiting}</h3>
      <ul class="letters">
        {waiting.map(({ agent, messages, release }) => (
          <li key={agent}>
            <p class="meta">
              <LinkToAgent name={agent}>{agent}</LinkToAgent>{" "}
              <span class="quiet">{text.waits(TEXT.waits(messages), release)}</span>
            </p>
            <RunNow agent={agent} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function RunNow({ agent }: { readonly agent: string }) {
  return (
    <button
      type="button"
      disabled={!isLive.value}
      aria-label={TEXT.turns.runNowFor(agent)}
      onClick={() => runNow(agent)}
    >
      {TEXT.attention.runNow}
    </button>
  );
}

function Budgets({ of: budgets }: { readonly of: readonly Budget[] }) {
  const { turns: text } = TEXT;
  const off = turnedOff.value.filter((name) => budgets.every(({ agent }) => agent !== name));
  return (
    <section class="panel" aria-labelledby="budgets-title">
      <h3 id="budgets-title">{text.budgets}</h3>
      {budgets.length === 0 && off.length === 0 && <p class="nothing">{text.noBudgets}</p>}
      <ul class="budgets">
        {budgets.map((budget) => (
          <li key={budget.agent}>
            <p class="meta">
              <LinkToAgent name={budget.agent}>{budget.agent}</LinkToAgent>{" "}
              {budget.until !== undefined && (
                <span class="chip spent">{text.spentUntil(momentInWords(budget.until, now.value))}</span>
              )}
            </p>
            <dl>
              <Bar name={text.thisHour} value={budget.turns_this_hour} most={budget.turns_per_hour} />
              <Bar name={text.today} value={budget.turns_today} most={budget.turns_per_day} />
              <Bar name={text.cost} value={budget.usd_today} most={budget.usd_per_day} words={text.dollars} />
            </dl>
            <div class="buttons">
              <RunNow agent={budget.agent} />
              <button
                type="button"
                disabled={!isLive.value}
                aria-label={text.offFor(budget.agent)}
                onClick={() => void turnAgent(budget.agent, false)}
              >
                {text.turnOff}
              </button>
            </div>
          </li>
        ))}
        {off.map((agent) => (
          <li key={agent}>
            <p class="meta">
              <LinkToAgent name={agent}>{agent}</LinkToAgent> <span class="chip">{text.isOff}</span>
            </p>
            <button
              type="button"
              disabled={!isLive.value}
              aria-label={text.onFor(agent)}
              onClick={() => void turnAgent(agent, true)}
            >
              {text.turnOn}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface BarProps {
  readonly name: string;
  readonly value: number;
  readonly most: number;
  readonly words?: (value: number) => string;
}

function Bar({ name, value, most, words = String }: BarProps) {
  const share = most <= 0 ? 100 : Math.min(100, (100 * value) / most);
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <svg
          class={share >= 100 ? "bar full" : "bar"}
          viewBox="0 0 100 6"
          preserveAspectRatio="none"
          aria-hidden="true"
          focusable="false"
        >
          <rect class="most" width="100" height="6" />
          <rect class="spent" width={share} height="6" />
        </svg>
        <span>{TEXT.turns.of(words(value), words(most))}</span>
      </dd>
    </div>
  );
}

function Last({ turns }: { readonly turns: readonly ShownTurn[] }) {
  const { turns: text } = TEXT;
  return (
    <section class="panel" aria-labelledby="last-title">
      <h3 id="last-title">{text.last}</h3>
      {turns.length === 0 && <p class="nothing">{text.noneYet}</p>}
      {turns.length > 0 && (
        <div class="table">
          <table>
            <caption class="unseen">{text.last}</caption>
            <thead>
              <tr>
                <th scope="col">{text.columns.agent}</th>
                <th scope="col">{text.columns.outcome}</th>
                <th scope="col">{text.columns.when}</th>
                <th scope="col" class="numeric">
                  {text.columns.cost}
                </th>
              </tr>
            </thead>
            <tbody>
              {turns.map((turn) => (
                <tr key={turn.id}>
                  <td>
                    <LinkToAgent name={turn.agent}>{turn.agent}</LinkToAgent>
                  </td>
                  <td>
                    <span class={`chip ${turn.state}`}>{text.states[turn.state]}</span>
                    <p class="said quiet">{turn.error ?? turn.answer ?? turn.because ?? ""}</p>
                  </td>
                  <td class="quiet">{sinceInWords(turn.started_at, now.value)}</td>
                  <td class="numeric">{turn.usd === undefined ? "" : text.dollars(turn.usd)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
