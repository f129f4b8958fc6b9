import { type Capability, capability } from '../http/capability.ts';
import { systemContract } from './contract.ts';
import { getSystemHealth, type Installation } from './get-system-health.ts';

export const system = (installation: Installation): Capability =>
  capability(systemContract, {
    getSystemHealth: (tx, act) => getSystemHealth(tx, act, installation),
  });
