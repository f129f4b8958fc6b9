/** Vite adds a kilobyte to preload the styles of lazy files. The files of our apps have none. */
export const noPreload = () => ({
  name: 'no-preload',
  enforce: 'pre',
  load: (id) => (id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : null),
});
