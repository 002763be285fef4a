/** Who hears what, who would get a message, what nobody got, and who writes to whom. */
import { useEffect } from "preact/hooks";
import { TEXT } from "../strings.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { DeadLetters } from "./dead-letters.tsx";
import { PathTree } from "./path-tree.tsx";
import { openBroker, trouble } from "./state.ts";
import { TalkPicture } from "./talk-picture.tsx";
import { TryPath } from "./try-path.tsx";

export function BrokerPage() {
  useEffect(() => openBroker(), []);
  return (
    <section class="page broker" aria-labelledby="page-title">
      <h2 id="page-title">{TEXT.pages.broker}</h2>
      {trouble.value !== undefined && <ErrorNote {...trouble.value} />}
      <TalkPicture />
      <div class="columns">
        <PathTree />
        <div class="column">
          <TryPath />
          <DeadLetters />
        </div>
      </div>
    </section>
  );
}
