import { TEXT } from "../strings.ts";

interface TerminalProps {
  readonly name: string;
}

export function Terminal({ name }: TerminalProps) {
  return <p class="nothing">{TEXT.details.unknown(name)}</p>;
}
