import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from 'rolldown/utils';

/** A module hook of Node: https://nodejs.org/docs/latest-v20.x/api/module.html#hooks */
export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context);
  const path = fileURLToPath(url);
  const { code, map, errors } = await transform(path, await readFile(path, 'utf8'), { sourcemap: true });
  if (errors.length > 0) throw new SyntaxError(errors.join('\n'));
  const inlineMap = Buffer.from(JSON.stringify(map)).toString('base64');
  return { format: 'module', source: `${code}\n//# sourceMappingURL=data:application/json;base64,${inlineMap}`, shortCircuit: true };
}
