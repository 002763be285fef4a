/** The card that a notification led to: it gets the focus; if it is gone, the page says so. Nothing is answered by it. */
import { computed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isKnown, isLive } from "../board/store.ts";
import { place, stayHome } from "../places/route.ts";
import { TEXT } from "../strings.ts";
import { cardCursor, focusCursor } from "../ui/cursor.ts";
import { cards } from "./answering.ts";

const wanted = computed(() => (place.value.at === "home" ? place.value.card : undefined));
const isThere = computed(() => cards.value.some(({ id }) => id === wanted.value));

export function WantedCard() {
  const { value: id } = wanted;
  const { value: found } = isThere;
  useEffect(() => {
    if (id === undefined || !found) return;
    focusCursor(cardCursor(id));
    // From now on it is a card like any other.
    stayHome();
  }, [id, found]);
  const isGone = id !== undefined && !found && isLive.value && isKnown.value;
  return (
    <div role="status" class={isGone ? "wanted gone" : "wanted"}>
      {isGone && (
        <>
          <p>{TEXT.wanted.gone}</p>
          <button type="button" onClick={stayHome}>
            {TEXT.wanted.close}
          </button>
        </>
      )}
    </div>
  );
}
