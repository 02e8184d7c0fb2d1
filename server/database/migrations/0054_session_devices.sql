-- The device on which a session was started, as in sign_in_devices. Codes that its owner asks for during the session have the limits of
-- that device: the browser sends its cookie to the calls of sign-in alone.
alter table sessions add column device_hash bytea;
