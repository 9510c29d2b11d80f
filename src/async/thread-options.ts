/** Node's options for how modules are loaded, such as `--import hooks.mjs`. */
const loading = /^(--import|--require|-r|--loader|--experimental-loader|--conditions|-C)(=|$)/;

/**
 * Those options of this process that a thread needs to load the same modules. A thread refuses to
 * start with options of V8's, such as `--max-old-space-size`, or with those about the entry point.
 */
export const threadOptions = (options: readonly string[]): string[] =>
  options.flatMap((option, index) => {
    if (!loading.test(option)) return [];
    const value = options[index + 1];
    return option.includes('=') || value === undefined ? [option] : [option, value];
  });
