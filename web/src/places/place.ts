/** Where a person is on the page, and its address. Pure. Paths belong to the daemon's routes, so a view is a parameter. */

export const PAGES = ["broker", "turns", "bridges", "settings", "start"] as const;
export type PageName = (typeof PAGES)[number];
/** Those in the head of the page; others are led to from where they are needed. */
export const MAIN_PAGES = ["broker", "turns", "bridges", "settings"] as const satisfies readonly PageName[];
/** Views of one agent; without one, its facts. */
export const TABS = ["conversation", "terminal"] as const;
export type TabName = (typeof TABS)[number];

export type Place =
  /** `card`: the one that a notification is about. */
  | { readonly at: "home"; readonly card?: string }
  | { readonly at: "page"; readonly page: PageName }
  | { readonly at: "agent"; readonly name: string; readonly tab?: TabName };

export const HOME: Place = { at: "home" };

const AGENTS = "/agents/";
const VIEW = "see";
const CARD = "card";

export function placeIn({ pathname, search }: Pick<Location, "pathname" | "search">): Place {
  const parameters = new URLSearchParams(search);
  const seen = parameters.get(VIEW);
  const name = agentIn(pathname);
  if (name !== undefined) {
    const tab = TABS.find((one) => one === seen);
    return tab === undefined ? { at: "agent", name } : { at: "agent", name, tab };
  }
  const page = PAGES.find((one) => one === seen);
  if (page !== undefined) return { at: "page", page };
  const card = parameters.get(CARD) ?? "";
  return card === "" ? HOME : { at: "home", card };
}

function agentIn(pathname: string): string | undefined {
  if (!pathname.startsWith(AGENTS)) return undefined;
  try {
    return decodeURIComponent(pathname.slice(AGENTS.length)) || undefined;
  } catch {
    return undefined;
  }
}

export function addressOf(place: Place): string {
  switch (place.at) {
    case "home":
      return place.card === undefined ? "/" : `/?${CARD}=${encodeURIComponent(place.card)}`;
    case "page":
      return `/?${VIEW}=${place.page}`;
    case "agent": {
      const address = `${AGENTS}${encodeURIComponent(place.name)}`;
      return place.tab === undefined ? address : `${address}?${VIEW}=${place.tab}`;
    }
    default:
      return place satisfies never;
  }
}
