/** What a program needs to run; none of it is a secret of the gateway. */
const inherited = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TERM'],
  ...['TMPDIR', 'TEMP', 'TMP'],
  // Windows
  ...['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATHEXT', 'PROGRAMDATA'],
  ...['PROGRAMFILES', 'SYSTEMDRIVE', 'SYSTEMROOT', 'USERNAME', 'USERPROFILE', 'WINDIR'],
];

/** The environment of a server that the gateway starts: `env`, and a few of the gateway's own. */
export function childEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && inherited.includes(name.toUpperCase()) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(kept), ...env };
}
