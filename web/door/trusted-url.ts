interface PolicyFactory {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): { createScriptURL(url: string): string };
}

const workers = /^\/door\/(files\/decoder\.worker-[\w-]+|service-worker)\.js$/;

function check(url: string): string {
  if (!workers.test(new URL(url, location.href).pathname)) throw new TypeError(`${url} is no worker of this app`);
  return url;
}

/** The page allows workers only from these addresses. Browsers without Trusted Types use the address as it is. */
const factory = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;
const policy = factory?.createPolicy('door', { createScriptURL: check });

export const workerUrl = (url: string): string => policy?.createScriptURL(url) ?? check(url);
