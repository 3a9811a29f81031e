"""dig_envs"""
