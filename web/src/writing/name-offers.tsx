/** The names that an “@” at the caret may mean. The text above keeps the focus, and its keys choose. */
import { TEXT } from "../strings.ts";

export const offerId = (id: string, index: number) => `${id}-${index}`;

interface NameOffersProps {
  readonly id: string;
  readonly names: readonly string[];
  readonly chosen: number;
  take(name: string): void;
}

export function NameOffers({ id, names, chosen, take }: NameOffersProps) {
  return (
    <div class="offers-place">
      <span class="for-ears" role="status">
        {names.length > 0 && TEXT.composer.offered(names.length)}
      </span>
      {names.length > 0 && (
        <div class="offers" id={id} role="listbox" aria-label={TEXT.composer.names}>
          {names.map((name, index) => (
            <div
              key={name}
              id={offerId(id, index)}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              // Before the text loses the focus.
              onMouseDown={(event) => {
                event.preventDefault();
                take(name);
              }}
            >
              @{name}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
