import type { InlineConfig } from 'vite';

export const doorBuild: InlineConfig & Required<Pick<InlineConfig, 'build'>>;
