import { describe, expect, it } from 'vitest';
import { hostsOf, parseDatabaseUrl } from './database-url.ts';

describe('parseDatabaseUrl', () => {
  it('returns one URL for each host', () => {
    const url = 'postgres://u:p%40@a:5432,b.example,[::1]:5433/shop?sslmode=require&target_session_attrs=read-write';
    expect(parseDatabaseUrl(url)).toEqual({
      urls: [
        'postgres://u:p%40@a:5432/shop?sslmode=require',
        'postgres://u:p%40@b.example/shop?sslmode=require',
        'postgres://u:p%40@[::1]:5433/shop?sslmode=require',
      ],
      target: 'read-write',
    });
    expect(hostsOf(url)).toBe('a:5432, b.example, [::1]:5433');
  });

  it('keeps the URL of a single host and of a socket folder', () => {
    expect(parseDatabaseUrl('postgresql://db.example/shop')).toEqual({ urls: ['postgresql://db.example/shop'], target: null });
    const socket = 'postgresql:///shop?host=/run/postgresql&application_name=my%20shop';
    expect(parseDatabaseUrl(socket)?.urls).toEqual(['postgresql:///shop?host=%2Frun%2Fpostgresql&application_name=my%20shop']);
    expect(hostsOf(socket)).toBe('local');
  });

  it.each(['mysql://a/shop', 'host=a,b dbname=shop', 'postgres://a,/shop', 'postgres://a:x,b/shop', 'postgres:///shop?host=a,b'])(
    'returns null for %s',
    (text) => {
      expect(parseDatabaseUrl(text)).toBeNull();
    },
  );
});
