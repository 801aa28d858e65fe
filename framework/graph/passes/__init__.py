"""Passes: functions that change a program and not what it means.

inline.py    a graph that one call alone goes on in becomes part of the graph of that call
"""
