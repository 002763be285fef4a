/** Who would get a message to a path? The daemon answers; nothing is sent. */
import { signal } from "@preact/signals";
import { recipientInWords } from "../../../src/core/cluster/hosts.ts";
import type { RouteTried } from "../../../src/wire/shapes/broker.ts";
import { isLive } from "../board/store.ts";
import type { Told } from "../connection/requests.ts";
import { LinkToAgent } from "../places/link-to-agent.tsx";
import { TEXT } from "../strings.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { agentOf } from "./parties.ts";
import { tryPath } from "./state.ts";

const path = signal("");
const from = signal("");
const tried = signal<RouteTried | Told | undefined>(undefined);

export function TryPath() {
  const { broker: text } = TEXT;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (path.value.trim() === "") return;
    tried.value = await tryPath(path.value, from.value);
  };
  return (
    <section class="panel" aria-labelledby="try-title">
      <h3 id="try-title">{text.tryIt}</h3>
      <form class="try" onSubmit={(event) => void submit(event)}>
        <label>
          <span class="quiet">{text.path}</span>
          <input
            value={path}
            placeholder={text.pathExample}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            onInput={(event) => {
              path.value = event.currentTarget.value;
            }}
          />
        </label>
        <label>
          <span class="quiet">{text.from}</span>
          <input
            value={from}
            placeholder={text.you}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            onInput={(event) => {
              from.value = event.currentTarget.value;
            }}
          />
        </label>
        <button type="submit" class="primary" disabled={!isLive.value}>
          {text.whoWould}
        </button>
      </form>
      <div role="status" class="tried">
        {tried.value === undefined ? (
          <p class="quiet">{text.tryTeach}</p>
        ) : "code" in tried.value ? (
          <ErrorNote {...tried.value} />
        ) : (
          <Recipients of={tried.value} />
        )}
      </div>
    </section>
  );
}

function Recipients({ of: { path: to, recipients, more, reason, notes } }: { readonly of: RouteTried }) {
  const { broker: text } = TEXT;
  return (
    <>
      <p>
        {reason === undefined ? text.wouldGet(recipients.length + more) : text.nobody(reason)}{" "}
        <code>{to}</code>
      </p>
      <ul class="recipients">
        {recipients.map((recipient) => {
          const { to: mailbox, owner, why } = recipient;
          const agent = agentOf(owner);
          return (
            <li key={mailbox}>
              {agent === undefined ? (
                <strong>{recipientInWords(recipient)}</strong>
              ) : (
                <LinkToAgent name={agent}>
                  {mailbox === owner ? agent : text.sessionOf(agent, mailbox.slice("session/".length))}
                </LinkToAgent>
              )}{" "}
              <span class="quiet">{why.map((one) => text.because(one)).join(" ")}</span>
            </li>
          );
        })}
      </ul>
      {more > 0 && <p class="quiet">{text.moreRecipients(more)}</p>}
      {notes.map((note) => (
        <p class="quiet" key={note}>
          {note}
        </p>
      ))}
    </>
  );
}
