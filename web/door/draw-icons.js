import sharp from 'sharp';

const tile = 'M9 1h14a8 8 0 0 1 8 8v3.3a3.9 3.9 0 0 0 0 7.4V23a8 8 0 0 1-8 8H9a8 8 0 0 1-8-8v-3.3a3.9 3.9 0 0 0 0-7.4V9a8 8 0 0 1 8-8Z';

/** The logo on the background of the app. Systems cut the edges of icons, so the logo fills only the middle. */
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><path fill="#111317" d="M0 0h48v48H0z"/>
<g transform="translate(8 8)"><path fill="#a78bfa" d="${tile}"/><path fill="none" stroke="#17112e" stroke-width="3.6" stroke-linecap="round" stroke-linejoin="round" d="m9.5 16.5 4.6 4.6 8.9-9.4"/></g></svg>`;

/** A plugin of Vite that adds the icons of the app as PNG files. Phones do not show SVG icons on the home screen. */
export const drawIcons = () => ({
  name: 'draw-icons',
  async generateBundle() {
    for (const size of [192, 512]) {
      const source = await sharp(Buffer.from(drawing), { density: 72 * (size / 48) })
        .resize(size, size)
        .png({ palette: true })
        .toBuffer();
      this.emitFile({ type: 'asset', name: `door-icon-${size}.png`, source });
    }
  },
});
