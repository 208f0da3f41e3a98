// Every package-lock.json of the repository keeps the rules of deny-npm.json.
//
// A lock has all that the rules need, so none must be installed. Where packages are installed, they
// must say the same as the lock.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const json = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const RULES = json('deny-npm.json');
const LOCKS = execFileSync('git', ['ls-files', '*package-lock.json'], { cwd: root, encoding: 'utf8' }).trim().split('\n');

/** Name of the package at a path of a lock. An alias has a name of its own. */
const nameOf = (path, { name }) => name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Tests an SPDX expression: `AND` needs both sides, `OR` one of them. */
function isAllowed(expression, allowed) {
  const tokens = expression.match(/[()]|[^\s()]+/g) ?? [];
  const operand = () => {
    const token = tokens.shift();
    if (token !== '(') return allowed.includes(token);
    const inner = either();
    return tokens.shift() === ')' && inner;
  };
  const both = () => {
    let is = operand();
    while (tokens[0] === 'AND') is = (tokens.shift(), operand()) && is;
    return is;
  };
  const either = () => {
    let is = both();
    while (tokens[0] === 'OR') is = (tokens.shift(), both()) || is;
    return is;
  };
  const is = either();
  // What does not parse is not allowed.
  return is && tokens.length === 0;
}

/** Names of packages that exceptions are for, once each is used. */
const used = { licenses: new Set(), scripts: new Set() };

/** Returns what is wrong with the licence of a package. */
function licenceFault(name, license, { licenses }) {
  if (license !== undefined && isAllowed(license, licenses.allow)) return undefined;
  const exception = licenses.exceptions.find(({ packages }) => packages.includes(name));
  if (exception === undefined) return `its licence is ${license ?? 'unknown'}`;
  used.licenses.add(name);
  return (license ?? exception.license) === exception.license ? undefined : `its licence is ${license}, not ${exception.license}`;
}

/** True if a version comes from elsewhere than the registry: an address, a repository, a folder. */
const isElsewhere = (version) => !version.startsWith('npm:') && /[:/]/.test(version);

/** Dependencies of a package that do not come from the registry. */
function elsewhere({ dependencies, devDependencies, optionalDependencies, peerDependencies }) {
  const all = Object.entries({ ...peerDependencies, ...optionalDependencies, ...devDependencies, ...dependencies });
  return all.filter(([, version]) => isElsewhere(version));
}

/** Returns what is wrong with a lock of this path. */
function faultsOf(lockPath, lock, rules) {
  const faults = [];
  const { lockfileVersion, packages = {} } = lock;
  if (lockfileVersion !== 3) faults.push(`lockfileVersion is ${lockfileVersion}, not 3`);
  if (lock.dependencies !== undefined) faults.push('it has a list of an older version');
  const folder = dirname(lockPath);
  const isOwn = (path) => LOCKS.includes(normalize(join(folder, path, 'package-lock.json')));
  const versions = new Map();
  for (const [path, entry] of Object.entries(packages)) {
    const { version, integrity = '', resolved, link = false, license, hasInstallScript = false } = entry;
    const fault = (words) => faults.push(`${path || 'the root'}: ${words}`);
    for (const [name, from] of elsewhere(entry)) {
      // A folder of this repository.
      if (path === '' && from.startsWith('file:') && isOwn(from.slice('file:'.length))) continue;
      fault(`${name} comes from ${from}`);
    }
    if (path === '') continue;
    if (link || !path.includes('node_modules/')) {
      if (!isOwn(resolved ?? path)) fault('a folder outside of the repository');
      continue;
    }
    const name = nameOf(path, entry);
    if (!/^sha512-[\w+/]{86}==$/.test(integrity)) fault(`its integrity is ${integrity || 'missing'}`);
    if (resolved !== undefined) fault(`it comes from ${resolved}`);
    if (!/^\d+\.\d+\.\d+(-[\w.-]+)?(\+[\w.-]+)?$/.test(version)) fault(`its version is ${version}`);
    const licence = licenceFault(name, license, rules);
    if (licence !== undefined) fault(licence);
    if (hasInstallScript) {
      if (rules.scripts.allow.some(({ packages }) => packages.includes(name))) used.scripts.add(name);
      else fault('it runs a script when it is installed');
    }
    versions.set(name, (versions.get(name) ?? new Set()).add(version));
  }
  const duplicates = [...versions].filter(([, { size }]) => size > 1).map(([name]) => name);
  const most = rules.duplicates[lockPath];
  if (most === undefined) faults.push('deny-npm.json has no number of duplicates for it');
  else if (duplicates.length > most) faults.push(`${duplicates.length} packages have several versions, not ${most}: ${duplicates.join(', ')}`);
  return faults;
}

/** Compares installed packages with their lock. Returns their number, and what differs. */
function installedOf(lockPath, { packages }) {
  const faults = [];
  let count = 0;
  for (const [path, { version, license, link = false, hasInstallScript = false }] of Object.entries(packages)) {
    const found = join(dirname(lockPath), path, 'package.json');
    if (!path.includes('node_modules/') || link || !existsSync(join(root, found))) continue;
    const is = json(found);
    // An old installation proves nothing.
    if (is.version !== version) continue;
    count += 1;
    if ((is.license?.type ?? is.license) !== license) faults.push(`${found}: its licence is ${is.license}, in the lock ${license}`);
    const { preinstall, install, postinstall } = is.scripts ?? {};
    if ((preinstall ?? install ?? postinstall) !== undefined && !hasInstallScript) faults.push(`${found}: the lock does not mention its script`);
  }
  return { count, faults };
}

test('every lock keeps the rules', () => {
  assert.deepEqual(Object.keys(RULES.duplicates).filter((path) => path !== 'about'), LOCKS);
  for (const path of LOCKS) {
    const lock = json(path);
    assert.deepEqual(faultsOf(path, lock, RULES), [], path);
    assert.ok(Object.keys(lock.packages).length > 3, `${path} lists no packages`);
  }
});

test('every exception has a reason, and is needed', () => {
  const { licenses, scripts } = RULES;
  for (const path of LOCKS) faultsOf(path, json(path), RULES);
  for (const [exceptions, names] of [[licenses.exceptions, used.licenses], [scripts.allow, used.scripts]]) {
    for (const { packages, reason } of exceptions) {
      assert.ok(reason.length > 20, `${packages}: ${reason}`);
      for (const name of packages) assert.ok(names.has(name), `nothing needs the exception for ${name}`);
    }
  }
});

test('installed packages say what the lock says', () => {
  const counts = Object.fromEntries(LOCKS.map((path) => {
    const { count, faults } = installedOf(path, json(path));
    assert.deepEqual(faults, [], path);
    return [path, count];
  }));
  // These tests run with the tools of the package.
  assert.ok(counts['wasm/npm/package-lock.json'] > 50, JSON.stringify(counts));
});

test('finds each violation', () => {
  const path = 'web-demo/package-lock.json';
  const whole = JSON.stringify(json(path));
  /** Faults after a change of the lock, of a package in it, or of the rules. */
  const faults = (change) => {
    const [lock, rules] = [JSON.parse(whole), structuredClone(RULES)];
    change(lock.packages['node_modules/picocolors'], lock, rules);
    return faultsOf(path, lock, rules).join('\n');
  };
  assert.equal(faults(() => undefined), '');
  const sha512 = JSON.parse(whole).packages['node_modules/picocolors'].integrity;
  const planted = {
    'lockfileVersion is 2': (_, lock) => (lock.lockfileVersion = 2),
    'older version': (_, lock) => (lock.dependencies = {}),
    'integrity is missing': (entry) => delete entry.integrity,
    'integrity is sha1-': (entry) => (entry.integrity = 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk='),
    'integrity is sha512-.* sha1-': (entry) => (entry.integrity = `${sha512} sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=`),
    'comes from git\\+ssh': (entry) => (entry.resolved = 'git+ssh://git@example.com/a/b.git#1234567'),
    'comes from https': (entry) => (entry.resolved = 'https://example.com/picocolors.tgz'),
    'version is file:': (entry) => (entry.version = 'file:../picocolors'),
    'a comes from github:': (entry) => (entry.dependencies = { a: 'github:b/a' }),
    'a comes from b/a': (entry) => (entry.optionalDependencies = { a: 'b/a' }),
    'the root: a comes from http': (_, { packages }) => (packages[''].devDependencies.a = 'https://example.com/a.tgz'),
    'the root: a comes from file': (_, { packages }) => (packages[''].devDependencies.a = 'file:../../a'),
    'outside of the repository': (_, { packages }) => (packages['node_modules/a'] = { resolved: '../../a', link: true }),
    'folder outside': (_, { packages }) => (packages['../../a'] = { version: '1.0.0' }),
    'licence is GPL-3.0': (entry) => (entry.license = 'GPL-3.0'),
    'licence is unknown': (entry) => delete entry.license,
    'licence is MIT AND GPL': (entry) => (entry.license = 'MIT AND GPL-2.0-only'),
    'licence is MIT AND \\(': (entry) => (entry.license = 'MIT AND (GPL-2.0-only OR LGPL-3.0)'),
    'licence is MIT GPL': (entry) => (entry.license = 'MIT GPL-3.0'),
    'licence is MPL-2.0': (entry) => (entry.license = 'MPL-2.0'),
    'licence is CC-BY-4.0, not MPL-2.0': (_, { packages }) => (packages['node_modules/axe-core'].license = 'CC-BY-4.0'),
    'runs a script': (entry) => (entry.hasInstallScript = true),
    '1 packages have several versions, not 0: picocolors': (entry, { packages }) => (packages['node_modules/vite/node_modules/picocolors'] = { ...entry, version: '0.1.0' }),
    'no number of duplicates': (entry, lock, rules) => delete rules.duplicates[path],
  };
  for (const [words, change] of Object.entries(planted)) assert.match(faults(change), new RegExp(`^.*${words}.*$`), words);
  for (const license of ['MIT', '(MIT OR GPL-3.0)', 'MIT AND BSD-3-Clause', '(WTFPL OR (MIT AND ISC))']) assert.equal(faults((entry) => (entry.license = license)), '', license);
});
