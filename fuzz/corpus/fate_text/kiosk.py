# The same kiosk as in kiosk.json, as Python writes it.
graph = {
    'global_vars': [
        {'name': 'card', 'value': 'blue whale'},
        {'name': 'code', 'value': '7 "tees"'},
        {'name': 'card_field', 'value': ''},
        {'name': 'code_field', 'value': ""},
        {'name': 'open', 'value': False},
        {'name': 'tickets', 'value': 0},
    ],
    'nodes': [
        {'node_id': 'gate', 'transitions': [
            {'transition_id': 0, 'type': 'editText', 'active': True, 'guard': None, 'set': 'card_field = input_text', 'destination': 'gate'},
            {'transition_id': 1, 'type': 'editText', 'active': True, 'guard': None, 'set': 'code_field = input_text', 'destination': 'gate'},
            {'transition_id': 2, 'type': 'button', 'active': True, 'guard': '(card_field==card) & (code_field==code)',
             'set': '''open = True
code_field = ""''', 'destination': 'hall'},
            {'transition_id': 3, 'type': 'button', 'active': True, 'guard': None, 'set': None, 'destination': 'help'},
            {'transition_id': 4, 'type': 'button', 'active': False, 'guard': None, 'set': None, 'destination': 'gate'},  # dead
        ]},
        {'node_id': 'help', 'transitions': [
            {'transition_id': 0, 'type': 'button', 'active': True, 'guard': None, 'set': None, 'destination': 'gate'},
        ]},
        {'node_id': 'hall', 'transitions': [
            {'transition_id': 0, 'type': 'button', 'active': True, 'guard': None, 'set': 'tickets=tickets+1', 'destination': 'hall'},
            {'transition_id': 1, 'type': 'button', 'active': True, 'guard': 'tickets>0', 'set': 'tickets = tickets - 1', 'destination': 'hall'},
            {'transition_id': 2, 'type': 'button', 'active': True, 'guard': 'tickets >= 2 and open == True', 'set': "code_field = ''", 'destination': 'pay'},
            {'transition_id': 3, 'type': 'button', 'active': True, 'guard': None, 'set': 'open = False\ncard_field = ""', 'destination': 'gate'},
        ]},
        {'node_id': 'pay', 'transitions': [
            {'transition_id': 0, 'type': 'editText', 'active': True, 'guard': None, 'set': 'code_field = input_text', 'destination': 'pay'},
            {'transition_id': 1, 'type': 'button', 'active': True, 'guard': 'code_field == code', 'set': 'tickets = 0', 'destination': 'printed'},
            {'transition_id': 2, 'type': 'button', 'active': True, 'guard': None, 'set': None, 'destination': 'hall'},
        ]},
        {'node_id': 'printed', 'transitions': [
            {'transition_id': 0, 'type': 'button', 'active': True, 'guard': None, 'set': None, 'destination': 'hall'},
        ]},
    ],
}
