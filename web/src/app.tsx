/** The whole page. */

import { cards } from "./attention/answering.ts";
import { AttentionList } from "./attention/attention.tsx";
import { isKnown, link } from "./board/store.ts";
import { Details } from "./overview/details.tsx";
import { Overview } from "./overview/overview.tsx";
import { KeyHelp } from "./palette/key-help.tsx";
import { openDialog } from "./palette/open.ts";
import { Palette } from "./palette/palette.tsx";
import { TEXT } from "./strings.ts";
import { KeyHint } from "./ui/key-hint.tsx";
import { goTo, openAgent } from "./ui/route.ts";

export function App() {
  const { value: standing } = link;
  return (
    <>
      <Head />
      {standing.at === "logged-out" && !isKnown.value ? (
        <LoggedOut why={standing.why} />
      ) : (
        <main class={openAgent.value === undefined ? "" : "with-details"}>
          <AttentionList />
          <Overview />
          <Details />
        </main>
      )}
      <Banner />
      {openDialog.value === "palette" && <Palette />}
      {openDialog.value === "keys" && <KeyHelp />}
    </>
  );
}

function Head() {
  const { at } = link.value;
  const count = cards.value.length;
  document.title = count === 0 ? TEXT.title : `(${count}) ${TEXT.title}`;
  return (
    <header class="head">
      <h1>
        <a
          href="/"
          onClick={(event) => {
            event.preventDefault();
            goTo(undefined);
          }}
        >
          {TEXT.title}
        </a>
      </h1>
      <span class={`link ${at}`}>{TEXT.connection[at]}</span>
      <button
        type="button"
        class="plain"
        onClick={() => {
          openDialog.value = "palette";
        }}
      >
        {TEXT.palette.open} <KeyHint of="Ctrl K" />
      </button>
      <button
        type="button"
        class="plain keyboard-only"
        onClick={() => {
          openDialog.value = "keys";
        }}
      >
        {TEXT.keys.open} <KeyHint of="?" />
      </button>
    </header>
  );
}

/** Comes when the page is not live, and goes by itself. */
function Banner() {
  const { value: standing } = link;
  const text =
    standing.at === "live"
      ? ""
      : standing.at === "logged-out"
        ? isKnown.value
          ? `${standing.why || TEXT.loggedOut.unknown} ${TEXT.loggedOut.next}`
          : ""
        : TEXT.banner[standing.at];
  return (
    <div role="status" class={text === "" ? "banner absent" : "banner"}>
      {text}
    </div>
  );
}

function LoggedOut({ why }: { readonly why: string }) {
  const { title, next } = TEXT.loggedOut;
  return (
    <main class="logged-out">
      <h2>{title}</h2>
      {why !== "" && <p>{why}</p>}
      <p>{next}</p>
    </main>
  );
}
