/** The path of the API. All other paths are pages, assets and tools. */
export const basePath = '/v1';
