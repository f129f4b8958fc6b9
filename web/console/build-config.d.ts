import type { InlineConfig } from 'vite';

export const consoleBuild: InlineConfig & Required<Pick<InlineConfig, 'build'>>;
