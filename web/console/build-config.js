/** How Vite builds the console. Areas and languages are files of their own; an area is shown when its styles are loaded too. */
export const consoleBuild = {
  base: '/console/files/',
  build: {
    outDir: 'dist/web/console',
    emptyOutDir: true,
    assetsDir: '',
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    modulePreload: false,
    rolldownOptions: { input: { console: 'web/console/main.tsx' } },
  },
};
