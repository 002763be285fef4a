import { TEXT } from "../strings.ts";
import { Modal } from "./modal.tsx";
import { openDialog } from "./open.ts";

export function KeyHelp() {
  const { title, list } = TEXT.keys;
  return (
    <Modal label={title} class="keys">
      <h2>{title}</h2>
      <dl>
        {list.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              {keys.split(", ").map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <button
        type="button"
        onClick={() => {
          openDialog.value = undefined;
        }}
      >
        {TEXT.details.close}
      </button>
    </Modal>
  );
}
