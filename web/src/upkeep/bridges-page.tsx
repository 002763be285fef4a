/** The bridges that are configured: how each stands, and what to do if it does not. */
import type { ShownBridge } from "../../../src/wire/shapes/outside.ts";
import { bridges } from "../board/store.ts";
import { TEXT } from "../strings.ts";
import { now } from "../ui/clock.ts";
import { Shape, type ShapeName } from "../ui/shape.tsx";
import { sinceInWords } from "../ui/since.ts";

export function BridgesPage() {
  const known = bridges.value;
  return (
    <section class="page upkeep" aria-labelledby="page-title">
      <h2 id="page-title">{TEXT.pages.bridges}</h2>
      {known === undefined && <p class="nothing">{TEXT.lazy.loading}</p>}
      {known?.length === 0 && <Teaching />}
      {known?.map((bridge) => (
        <Bridge key={bridge.name} of={bridge} />
      ))}
    </section>
  );
}

const SHAPES: Readonly<Record<ShownBridge["state"], ShapeName>> = {
  up: "busy",
  starting: "starting",
  down: "exited",
};

function Bridge({ of: bridge }: { readonly of: ShownBridge }) {
  const { bridges: text } = TEXT;
  const { name, state, since, lastIn, lastOut, error, stuck, strangers } = bridge;
  const ago = (at: number | undefined) =>
    at === undefined ? text.never : text.ago(sinceInWords(at, now.value));
  return (
    <section class={`panel bridge ${state}`} aria-labelledby={`bridge-${name}`}>
      <div class="panel-head">
        <Shape of={SHAPES[state]} />
        <h3 id={`bridge-${name}`}>{name}</h3>
        <span class="quiet">{text.states[state](sinceInWords(since, now.value))}</span>
      </div>
      {error !== undefined && <p class="trouble">{error}</p>}
      {state !== "up" && <p>{stuck === true ? text.stuck : text.comesBack}</p>}
      {stuck === true && <pre>{text.doctorCommand(name)}</pre>}
      <dl>
        <div>
          <dt>{text.lastIn}</dt>
          <dd>{ago(lastIn)}</dd>
        </div>
        <div>
          <dt>{text.lastOut}</dt>
          <dd>{ago(lastOut)}</dd>
        </div>
        {strangers > 0 && (
          <div>
            <dt>{text.strangers}</dt>
            <dd>{text.refused(strangers)}</dd>
          </div>
        )}
      </dl>
    </section>
  );
}

function Teaching() {
  const { bridges: text } = TEXT;
  return (
    <section class="panel" aria-labelledby="teaching-title">
      <h3 id="teaching-title">{text.none}</h3>
      <div class="teach">
        <p>{text.rehearse}</p>
        <pre>{text.rehearseCommand}</pre>
        <p>{text.add}</p>
        <pre>{text.addCommand}</pre>
        <p>{text.learn}</p>
      </div>
    </section>
  );
}
