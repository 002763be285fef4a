/** Opens an agent. A real link: it can be opened in another tab. */
import type { ComponentChildren } from "preact";
import { cursorProps } from "./cursor.ts";
import { addressOf, goTo, openAgent } from "./route.ts";

interface LinkToAgentProps {
  readonly name: string;
  readonly class?: string;
  /** How it is stepped to. */
  readonly cursor?: string;
  readonly children: ComponentChildren;
}

export function LinkToAgent({ name, class: looks = "", cursor, children }: LinkToAgentProps) {
  const isOpen = openAgent.value === name;
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    goTo(name);
  };
  return (
    <a
      class={`${looks} ${isOpen ? "open" : ""}`}
      href={addressOf(name)}
      aria-current={isOpen}
      onClick={follow}
      {...(cursor === undefined ? {} : cursorProps(cursor))}
    >
      {children}
    </a>
  );
}
