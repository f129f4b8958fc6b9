/** Vite adds a kilobyte to preload the styles of lazy files. Those of the door app have none. */
export const noPreload = () => ({
  name: 'no-preload',
  enforce: 'pre',
  load: (id) => (id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : null),
});
