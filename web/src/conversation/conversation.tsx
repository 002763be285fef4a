import { TEXT } from "../strings.ts";

interface ConversationProps {
  readonly name: string;
}

export function Conversation({ name }: ConversationProps) {
  return <p class="nothing">{TEXT.details.unknown(name)}</p>;
}
