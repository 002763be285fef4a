/** Everything that was said to an agent and by it, what still waits, and a place to say more. */
import "./conversation.css";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { agentsByName, isLive } from "../board/store.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { Composer } from "../writing/composer.tsx";
import { KeptDrafts } from "./kept-drafts.tsx";
import { MessageList } from "./message-list.tsx";
import { QueueList } from "./queue-list.tsx";
import { Talk } from "./talk.ts";

interface ConversationProps {
  readonly name: string;
}

export function Conversation({ name }: ConversationProps) {
  const talk = useMemo(() => new Talk(name), [name]);
  useEffect(() => () => talk.end(), [talk]);
  const answering = useSignal<string | undefined>(undefined);
  const agent = agentsByName.value.get(name);
  const drafts = agent?.sessions.map((session) => session.drafts).join(" ");
  // After a lost connection too: what was missed may be anything.
  useEffect(() => {
    if (isLive.value) void talk.refresh();
  }, [talk, agent?.mail, drafts, isLive.value]);
  return (
    <div class="talk">
      {talk.trouble.value !== undefined && <ErrorNote {...talk.trouble.value} />}
      <MessageList key={name} talk={talk} answer={(id) => (answering.value = id)} />
      <div class="below">
        <QueueList key={name} talk={talk} />
        <KeptDrafts key={name} talk={talk} />
      </div>
      <Composer name={name} answering={answering} sent={() => void talk.refresh()} />
    </div>
  );
}
