/** A setting, or where to find it among the runtime's bindings and variables. */
export type FromEnv<T, Env> = T | ((env: Env) => T);

export function fromEnv<T, Env>(setting: FromEnv<T, Env>, env: Env): T {
  return typeof setting === "function" ? (setting as (env: Env) => T)(env) : setting; // No setting is itself a function.
}
