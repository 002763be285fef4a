/** However often it is called, it acts once in a frame. */
export function oncePerFrame(request: (act: () => void) => unknown, act: () => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    request(() => {
      isAsked = false;
      act();
    });
  };
}
