type Json = Record<string, unknown>;

/** Newer than the types of TypeScript's library. */
interface PasskeyJson {
  parseRequestOptionsFromJSON(options: Json): PublicKeyCredentialRequestOptions;
  parseCreationOptionsFromJSON(options: Json): PublicKeyCredentialCreationOptions;
}

const parser = globalThis.PublicKeyCredential as unknown as Partial<PasskeyJson> | undefined;

/** Whether the browser can use passkeys with the options of the API. */
export const hasPasskeys = parser?.parseRequestOptionsFromJSON !== undefined;

const toJson = (credential: Credential | null): Json => (credential as unknown as { toJSON(): Json }).toJSON();

/** Asks the browser for a passkey of the user. Throws if the user does not choose one. */
export const getPasskey = async (options: Json): Promise<Json> =>
  toJson(await navigator.credentials.get({ publicKey: (parser as PasskeyJson).parseRequestOptionsFromJSON(options) }));

/** Lets the browser create a passkey. */
export const createPasskey = async (options: Json): Promise<Json> =>
  toJson(await navigator.credentials.create({ publicKey: (parser as PasskeyJson).parseCreationOptionsFromJSON(options) }));
