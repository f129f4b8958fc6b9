// Log in, read your own account, and create an API token with fewer permissions.
import { createClient } from 'tessera-client';

const client = createClient({ environment: 'local', hosts: process.env.TESSERA_API });

const { user } = await client.auth.login({ email: 'producer@demo.test', password: 'tessera-demo' });
console.log(`Hello ${user.name}`);

const made = await client.apiTokens.create({ name: 'Crew list', permissions: ['crew.read'], eventIds: [1] });
const limited = createClient({ environment: 'local', hosts: process.env.TESSERA_API, token: made.token });
const { team } = await limited.events.crew({ id: 1 });
console.log(`${team.length} people work on event 1`);

await client.apiTokens.revoke({ id: made.id });
await client.auth.logout();
