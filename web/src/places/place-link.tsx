/** Leads to a place on the page. A real link: it can be opened in another tab. */
import type { ComponentChildren } from "preact";
import { cursorProps } from "../ui/cursor.ts";
import { addressOf, type Place } from "./place.ts";
import { goTo } from "./route.ts";

interface PlaceLinkProps {
  readonly to: Place;
  readonly isHere: boolean;
  readonly class?: string;
  /** How it is stepped to. */
  readonly cursor?: string;
  readonly children: ComponentChildren;
}

export function PlaceLink({ to, isHere, class: looks = "", cursor, children }: PlaceLinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    goTo(to);
  };
  return (
    <a
      class={`${looks} ${isHere ? "open" : ""}`.trim()}
      href={addressOf(to)}
      aria-current={isHere ? "page" : "false"}
      onClick={follow}
      {...(cursor === undefined ? {} : cursorProps(cursor))}
    >
      {children}
    </a>
  );
}
