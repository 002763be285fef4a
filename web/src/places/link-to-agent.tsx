/** Opens an agent. */
import type { ComponentChildren } from "preact";
import { PlaceLink } from "./place-link.tsx";
import { openAgent } from "./route.ts";

interface LinkToAgentProps {
  readonly name: string;
  readonly class?: string;
  /** How it is stepped to. */
  readonly cursor?: string;
  readonly children: ComponentChildren;
}

export function LinkToAgent({ name, ...rest }: LinkToAgentProps) {
  return <PlaceLink to={{ at: "agent", name }} isHere={openAgent.value === name} {...rest} />;
}
