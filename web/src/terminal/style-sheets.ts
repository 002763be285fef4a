/**
 * The page's policy allows no style elements, and the terminal's library makes some. It gets stand-ins, whose text goes
 * into sheets of the document: rules that a script adds are allowed, because the script is.
 */
let isDone = false;

export function adoptStyles(): void {
  if (isDone) return;
  isDone = true;
  const create = document.createElement.bind(document);
  const createElement = (name: string, options?: ElementCreationOptions): HTMLElement =>
    name.toLowerCase() === "style" ? standIn(create("template")) : create(name, options);
  Object.defineProperty(document, "createElement", { value: createElement });
}

function standIn(element: HTMLElement): HTMLElement {
  const sheet = new CSSStyleSheet();
  let text = "";
  Object.defineProperty(element, "textContent", {
    get: () => text,
    set(rules: string) {
      text = rules;
      sheet.replaceSync(rules);
      if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
    },
  });
  const remove = element.remove.bind(element);
  element.remove = () => {
    remove();
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
  };
  return element;
}
