import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { diskFiles } from './disk-files.ts';
import type { Files } from './files.ts';
import { s3Files } from './s3-files.ts';

export const openFiles = ({ filesUrl, dataDir }: Pick<Config, 'filesUrl' | 'dataDir'>): Files =>
  filesUrl === null ? diskFiles(join(dataDir, 'files')) : s3Files(filesUrl);
